import Foundation

/// How a phone would present a notification, by its payload.
///
/// Everything in it comes from the sender and is bounded: texts by ``textLimit``, lists by ``listLimit``.
struct NotificationPreview: Hashable, Sendable {
    /// Where a notification is presented.
    enum Surface: Hashable, Sendable {
        /// A banner.
        case banner
        /// A Live Activity with its event and its content state.
        case activity(event: String, state: [Field])
        /// The screen of an incoming call.
        case call
        /// Nowhere; describes what happens instead.
        case nowhere(String)
    }

    /// A name and a value, both from the sender.
    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// An image that a service extension could download.
    struct Image: Hashable, Sendable {
        var host: String
        var file: String
        /// Whether the payload requests a service extension; without one the image is not downloaded.
        var isFetched: Bool
    }

    static let textLimit = 500
    static let listLimit = 8

    var surface: Surface
    var pushType: String?
    var topic: String
    var title: String?
    var subtitle: String?
    var body: String?
    var badge: Int?
    var sound: String?
    var image: Image?
    /// Further properties: interruption level, thread, category, and the like.
    var facts: [Field] = []

    /// The displayed name of the app: the last part of its bundle identifier.
    var appName: String {
        bundleID.split(separator: ".").last.map(String.init) ?? "App"
    }

    private var bundleID: String {
        let suffix = PushType.allCases.map(\.topicSuffix).first { !$0.isEmpty && topic.hasSuffix($0) } ?? ""
        return String(topic.dropLast(suffix.count))
    }

    init(of request: IncomingRequest) {
        pushType = request.text(.apnsPushType)
        topic = Self.bounded(request.text(.apnsTopic) ?? "")
        surface = .nowhere("The payload is no JSON object, so no phone can do anything with it.")
        if let payload = Self.object(request.body) {
            read(payload)
        }
        addFact("priority", request.text(.apnsPriority))
        addFact("expiration", request.text(.apnsExpiration))
        addFact("collapse id", request.text(.apnsCollapseID))
    }

    // MARK: - Private

    private mutating func read(_ payload: [String: Any]) {
        let aps = payload["aps"] as? [String: Any] ?? [:]
        readTexts(aps["alert"])
        badge = (aps["badge"] as? NSNumber)?.intValue
        sound = Self.sound(aps["sound"] ?? (aps["alert"] as? [String: Any])?["sound"])
        image = Self.image(in: payload, isFetched: (aps["mutable-content"] as? NSNumber)?.intValue == 1)
        surface = surface(aps)
        for key in ["interruption-level", "relevance-score", "category", "thread-id", "filter-criteria"] {
            addFact(key, aps[key].flatMap(Self.text))
        }
    }

    private mutating func readTexts(_ alert: Any?) {
        if let text = alert as? String {
            body = Self.bounded(text)
        } else if let alert = alert as? [String: Any] {
            title = Self.text(alert["title"]) ?? Self.localized(alert, "title-loc-key", "title-loc-args")
            subtitle = Self.text(alert["subtitle"]) ?? Self.localized(alert, "subtitle-loc-key", "subtitle-loc-args")
            body = Self.text(alert["body"]) ?? Self.localized(alert, "loc-key", "loc-args")
        }
    }

    private func surface(_ aps: [String: Any]) -> Surface {
        switch PushType(rawValue: pushType ?? "alert") {
        case .liveactivity: return .activity(event: Self.text(aps["event"]) ?? "no event", state: Self.state(aps))
        case .voip: return .call
        case .background: return .nowhere("Nothing is shown: iOS may wake the app in the background.")
        case .location: return .nowhere("Nothing is shown: the location push extension is started.")
        case .complication: return .nowhere("The watch face's complication gets new data.")
        case .fileprovider: return .nowhere("Nothing is shown: the file provider looks for changes.")
        case .mdm: return .nowhere("Nothing is shown: the device contacts its management server.")
        case .pushtotalk: return .nowhere("The Push to Talk framework gets the speaker.")
        case .widgets: return .nowhere("The app's widgets reload.")
        case .controls: return .nowhere("The app's controls reload.")
        case .accessory: return .nowhere("The data is passed to an accessory.")
        case .alert, nil:
            if [title, subtitle, body].contains(where: { $0?.isEmpty == false }) {
                return .banner
            }
            return .nowhere(
                badge == nil && sound == nil
                    ? "There is nothing to show in it: no alert, badge or sound."
                    : "No text is shown; only the changes below apply."
            )
        }
    }

    private mutating func addFact(_ name: String, _ value: String?) {
        if let value {
            facts.append(Field(name: name, value: Self.bounded(value, to: 80)))
        }
    }
}

// MARK: - Reading what anybody may have written

extension NotificationPreview {
    /// A decoded payload; nesting is bounded before Foundation parses it.
    private static func object(_ payload: [UInt8]) -> [String: Any]? {
        guard PayloadSummary(of: payload).isObject else { return nil }
        return (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any]
    }

    private static func bounded(_ text: String, to limit: Int = textLimit) -> String {
        Wording.shortened(text, to: limit)
    }

    /// A value as text; the title and body of Live Activities may be objects of a key and its arguments.
    private static func text(_ value: Any?) -> String? {
        switch value {
        case let text as String: bounded(text)
        case let number as NSNumber: number.stringValue
        case let object as [String: Any]: localized(object, "loc-key", "loc-args")
        default: nil
        }
    }

    /// A localized text, written as its key with its arguments.
    private static func localized(_ object: [String: Any], _ key: String, _ arguments: String) -> String? {
        guard let key = object[key] as? String else { return nil }
        let arguments = (object[arguments] as? [Any] ?? []).prefix(listLimit).compactMap { $0 as? String }
        return bounded(arguments.isEmpty ? key : key + " (" + arguments.joined(separator: ", ") + ")")
    }

    private static func sound(_ value: Any?) -> String? {
        guard let sound = value as? [String: Any] else { return text(value) }
        let name = text(sound["name"]) ?? "default"
        guard (sound["critical"] as? NSNumber)?.intValue == 1 else { return name }
        let volume = (sound["volume"] as? NSNumber).map { ", volume " + $0.stringValue } ?? ""
        return name + ", critical" + volume
    }

    private static func state(_ aps: [String: Any]) -> [Field] {
        let state = aps["content-state"] as? [String: Any] ?? [:]
        return state.keys.sorted().prefix(listLimit).map { key in
            let value = state[key].flatMap(text) ?? (state[key] is [Any] ? "[…]" : "{…}")
            return Field(name: bounded(key, to: 40), value: bounded(value, to: 80))
        }
    }

    private static func image(in payload: [String: Any], isFetched: Bool, depth: Int = 0) -> Image? {
        for key in payload.keys.sorted() {
            if let text = payload[key] as? String, let image = image(at: text, isFetched: isFetched) {
                return image
            }
            let inner = payload[key] as? [String: Any]
            if depth < 4, let inner, let image = image(in: inner, isFetched: isFetched, depth: depth + 1) {
                return image
            }
        }
        return nil
    }

    private static func image(at text: String, isFetched: Bool) -> Image? {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), let url = URLComponents(string: text),
            let host = url.host, let file = url.path.split(separator: "/").last,
            let end = file.split(separator: ".").last?.lowercased(),
            ["jpg", "jpeg", "png", "gif", "webp", "heic", "mp4", "mov"].contains(end)
        else { return nil }
        return Image(host: bounded(host, to: 60), file: bounded(String(file), to: 40), isFetched: isFetched)
    }
}
