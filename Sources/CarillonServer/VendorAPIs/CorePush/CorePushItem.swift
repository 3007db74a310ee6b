import CarillonModel
import CarillonOperatorModel

/// One element of a send's `request_data`: a user, or everybody, with a text.
struct CorePushItem {
    enum Target: Hashable {
        case everybody
        case user(UserID)
    }

    /// What a message has beside its text.
    struct Frame: Hashable {
        var url: String?
        var badge: JSONValue?
        var sound: String?
        var category: String?
        var isSurvey: Bool
        var data: [String: JSONValue]
    }

    /// The place in `request_data`.
    var index: Int
    var target: Target
    var title: String?
    var message: String
    var frame: Frame

    /// Reads an element; unknown members are ignored.
    ///
    /// - Throws: A failure that names the member.
    init(_ element: CorePushElement) throws {
        index = element.index
        guard let user = try element.text("app_user_id") else {
            throw CorePushFailure(element.name("app_user_id"), "is required")
        }
        target =
            user == CorePushUser.everybody
            ? .everybody : .user(try CorePushUser.user(user, element.name("app_user_id")))
        guard let message = try element.text("message") else {
            throw CorePushFailure(element.name("message"), "is required")
        }
        self.message = message
        title = try element.text("title")
        let custom = element["custom_key"]
        guard custom == nil || custom?.object != nil else {
            throw CorePushFailure(element.name("custom_key"), "must be an object")
        }
        frame = Frame(
            url: try element.text("url"),
            badge: element["badge"],
            sound: try element.text("sound"),
            category: try element.text("category"),
            isSurvey: try element.text(PayloadKey.CorePush.survey) == "1",
            data: custom?.object ?? [:]
        )
    }
}

/// Items that are sent as one Campaign.
struct CorePushBatch {
    var items: [CorePushItem]

    var first: CorePushItem { items[0] }

    /// Whether all have the same text.
    var isUniform: Bool { items.allSatisfy { $0.message == first.message && $0.title == first.title } }

    /// The users; empty for everybody.
    var users: [UserID] {
        items.compactMap { if case .user(let user) = $0.target { user } else { nil } }
    }

    /// Batches of one text each.
    var byText: [CorePushBatch] { Self.grouped(items) { [$0.message, $0.title ?? ""] } }

    /// Groups items in the order in which their keys come first.
    static func grouped(_ items: [CorePushItem], by key: (CorePushItem) -> some Hashable) -> [CorePushBatch] {
        let groups = Dictionary(grouping: items, by: { AnyHashable(key($0)) })
        return groups.values.map { CorePushBatch(items: $0) }.sorted { $0.first.index < $1.first.index }
    }
}

// MARK: - As the request of a Campaign

extension CorePushBatch {
    private static let message = "message", title = "title"

    /// The body of V1's request, so that V1's own checks apply.
    var members: [String: JSONValue] {
        let (frame, isUniform) = (first.frame, isUniform)
        var content: [String: JSONValue] = [:]
        content["body"] = .string(isUniform ? first.message : "{{recipient.\(Self.message)}}")
        if items.contains(where: { $0.title != nil }) {
            content["title"] = .string(isUniform ? first.title ?? "" : "{{recipient.\(Self.title) | default: \"\"}}")
        }
        var (data, link) = (frame.data, frame.url)
        // Apps select screens by texts such as `page=1`, which are no links.
        if let url = frame.url, LinkRule().problem(of: url) != nil, !frame.isSurvey, !url.contains(":") {
            data[PayloadKey.CorePush.url] = .string(url)
            link = nil
        }
        if let link { content["link"] = .string(isUniform ? link : Self.literal(link)) }
        var message: [String: JSONValue] = [
            "content": .object([Message.defaultLanguage: .object(content)]),
            "data": .object(isUniform ? data : data.mapValues(Self.literal)), "isLiteral": .bool(isUniform),
            "isSurvey": .bool(frame.isSurvey),
        ]
        message["badge"] = frame.badge
        message["sound"] = frame.sound.map(JSONValue.string)
        message["category"] = frame.category.map(JSONValue.string)
        var members: [String: JSONValue] = ["message": .object(message)]
        if isUniform { members["audience"] = .object(["all": .bool(true)]) } else { members["recipients"] = recipients }
        return members
    }

    private var recipients: JSONValue {
        .array(
            zip(users, items).map { user, item in
                var values = [Self.message: JSONValue.string(item.message)]
                values[Self.title] = item.title.map(JSONValue.string)
                return .object(["user": .string(user.rawValue), "values": .object(values)])
            }
        )
    }

    /// The greatest size of the texts in a payload, in bytes.
    var longestText: Int {
        items.map { Self.size($0.message) + Self.size($0.title ?? "") }.max() ?? 0
    }

    private static func size(_ text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x09, 0x0A, 0x0D: count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }

    /// A text that begins no placeholder.
    private static func literal(_ text: String) -> String { text.replacing("{", with: "{{\"{\"}}") }

    private static func literal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(literal(text))
        case .array(let values): .array(values.map(literal))
        case .object(let members): .object(members.mapValues(literal))
        case .null, .bool, .integer, .number: value
        }
    }
}
