import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The body of a send or a reservation, as the request of a Campaign.
///
/// Content becomes the JSON of V1, so that V1's own checks apply to it; their errors have the vendor's names.
struct ToastMessageReader {
    static let contentLimit = 8_192
    private static let validities: ClosedRange<Int64> = 1...60
    private static let usualMinutes = 10

    private enum MessageType: String, CaseIterable { case notification = "NOTIFICATION", ad = "AD" }
    private enum AdPosition: String, CaseIterable { case title = "TITLE", body = "BODY" }

    let fields: ToastFields

    /// The request, to send at once.
    func request() throws -> CampaignRequest {
        let target = try ToastTarget(try fields.requiredInner("target"))
        guard let type = try fields.word("messageType", MessageType.self) else {
            throw fields.failure(.empty, "messageType")
        }
        let content = try fields.requiredInner("content")
        var members: [String: JSONValue] = [
            "audience": .object(["all": .bool(true)]), "message": .object(try ToastContentReader(content).message()),
            "isAd": .bool(type == .ad), "channel": .string(target.channel.rawValue),
        ]
        let minutes = try fields.integer("timeToLiveMinute", Self.validities) ?? Self.usualMinutes
        members["validFor"] = .integer(Int64(minutes * 60))
        if type == .ad { members["adWording"] = .object(try adWording()) }
        if let statistics = try fields.text("statsId") {
            guard StatisticsID(statistics) != nil else { throw fields.failure(.notFound, "statsId") }
            members["statisticsID"] = .string(statistics)
        }
        var request = try Self.decoded(members)
        request.audience = target.audience
        return request
    }

    private func adWording() throws -> [String: JSONValue] {
        guard let contact = try fields.text("contact") else { throw fields.failure(.noContact, "contact") }
        guard contact.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }) else {
            throw fields.failure(.malformedContact, "contact")
        }
        guard let guide = try fields.text("removeGuide") else { throw fields.failure(.noRemoveGuide, "removeGuide") }
        var wording: [String: JSONValue] = ["contact": .string(contact), "removeGuide": .string(guide)]
        // The App has a position of its own, which v2.0 always used.
        if fields.version > .v20, let position = try fields.word("adWordPosition", AdPosition.self) {
            wording["position"] = .string(position == .title ? "title" : "body")
        }
        return wording
    }

    private static func decoded(_ members: [String: JSONValue]) throws -> CampaignRequest {
        let bytes = Array(try JSONEncoder().encode(JSONValue.object(members)))
        do throws(Problem) {
            return try JSONBody.decode(CampaignRequest.self, from: bytes)
        } catch {
            throw failure(of: error.errors?.first)
        }
    }

    /// Runs a call of the engine about a request; errors of its fields have the vendor's names.
    static func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as EngineError {
            guard let first = error.fieldErrors.first else { throw error }
            throw failure(of: first)
        }
    }

    /// Where V1's fields come from.
    private static let names: [(v1: String, toast: String)] = [
        ("message.content.", "content."), ("message.content", "content"), ("message.data.", "content.default."),
        ("message.", "content.default."), ("message", "content"), ("adWording.", ""), ("audience.rule", "target.to"),
        ("audience", "target.to"),
        ("statisticsID", "statsId"), ("validFor", "timeToLiveMinute"), ("schedule.at", "schedules"),
        ("schedule", "schedules"), ("isAd", "messageType"), ("app", "appkey"),
    ]
    private static let parts: [(v1: String, toast: String)] = [
        (".media.", ".richMessage.media."), (".buttons.", ".richMessage.buttons."), (".link", ".clickAction"),
    ]

    private static func failure(of error: FieldError?) -> ToastFailure {
        guard let error else { return ToastFailure(.invalid, "body") }
        var field = error.field
        if let name = names.first(where: { field == $0.v1 || $0.v1.hasSuffix(".") && field.hasPrefix($0.v1) }) {
            field = name.toast + field.dropFirst(name.v1.count)
        }
        // A field that is itself such a part ends without the dot.
        field += "."
        for part in parts where !field.contains(".richMessage.") {
            field = field.replacing(part.v1, with: part.toast)
        }
        field.removeLast()
        if field == "appkey" { return ToastFailure(.noCertificate, problem: error.problem) }
        return ToastFailure(.invalid, field, problem: error.problem)
    }
}

/// Whom a send is for.
struct ToastTarget {
    private enum Kind: String, CaseIterable { case all = "ALL", users = "UID", tags = "TAG" }

    var audience: Audience
    var channel: Campaign.Channel

    init(_ fields: ToastFields) throws {
        guard let kind = try fields.word("type", Kind.self) else { throw fields.failure(.empty, "type") }
        var channel = Campaign.Channel.notification
        var filters: [AudienceRule] = []
        if let words = try fields.texts("pushTypes"), !words.isEmpty {
            let types = try Self.types(words, fields)
            channel = types.contains { $0.isVoIP } ? .voip : .notification
            let all = channel == .voip ? PushType.voIPTypes : PushType.notificationTypes
            if Set(types) != Set(all) {
                filters.append(.term(.pushType(types.count == 1 ? .isEqual(types[0]) : .isAny(types))))
            }
        }
        if let countries = try fields.texts("countries"), !countries.isEmpty {
            guard countries.count <= 250, countries.allSatisfy({ (2...3).contains($0.count) }) else {
                throw fields.failure(.invalid, "countries", problem: "each has 2 or 3 letters")
            }
            filters.append(.term(.text(.country, .isAny(countries))))
        }
        self.channel = channel
        switch kind {
        case .all: audience = Self.audience(nil, filters)
        case .tags: audience = Self.audience(try Self.tags(fields), filters)
        case .users: audience = try Self.users(fields, filters)
        }
    }

    /// Push types of Apple's platform, all for notifications or all for calls.
    private static func types(_ words: [String], _ fields: ToastFields) throws -> [PushType] {
        let types = try words.compactMap { try ToastPushType.type($0, fields.path + "pushTypes") }
        guard !types.isEmpty else { throw ToastFailure(.noCertificate, fields.path + "pushTypes", words[0]) }
        guard Set(types.map(\.isVoIP)).count == 1 else {
            throw ToastFailure(
                .invalid,
                fields.path + "pushTypes",
                words.joined(separator: ","),
                problem: "calls and notifications are sent by a call each"
            )
        }
        var met: Set<PushType> = []
        return types.filter { met.insert($0).inserted }
    }

    private static func users(_ fields: ToastFields, _ filters: [AudienceRule]) throws -> Audience {
        let listed = try fields.texts("to") ?? []
        let users = try ToastFields.users(listed, fields.path + "to", atMost: Audience.maximumListCount)
        guard !filters.isEmpty else { return .users(users) }
        // A rule has fewer values than a list.
        guard users.count <= AudienceRule.maximumValues - 260 else {
            throw ToastFailure(
                .maximumExceeded,
                fields.path + "to",
                "\(users.count)",
                problem: "with pushTypes or countries at most \(AudienceRule.maximumValues - 260)"
            )
        }
        return audience(.term(.user(.isAny(users))), filters)
    }

    private static func audience(_ rule: AudienceRule?, _ filters: [AudienceRule]) -> Audience {
        let all = [rule].compactMap(\.self) + filters
        guard let first = all.first else { return .all }
        return .rule(all.count == 1 ? first : .and(all))
    }

    /// The expression of tags: ids, `AND`, `OR` and parentheses, each an element.
    private static func tags(_ fields: ToastFields) throws -> AudienceRule {
        guard let words = try fields.texts("to"), !words.isEmpty else { throw fields.failure(.empty, "to") }
        guard words.count <= 64 else { throw ToastFailure(.maximumExceeded, fields.path + "to", "\(words.count)") }
        let terms = try words.map { word in
            if ["AND", "OR", "(", ")"].contains(word) { return word.lowercased() }
            guard let tag = TagID(rawValue: word) else { throw ToastFailure(.invalid, fields.path + "to", word) }
            return "tag:\(tag)"
        }
        guard let rule = try? AudienceRule(text: terms.joined(separator: " ")) else {
            throw ToastFailure(.invalid, fields.path + "to", words.joined(separator: " "))
        }
        return rule
    }
}
