/// What APNs carries to a device: Apple's `aps` dictionary and the app's own keys beside it.
///
/// Source: "Generating a remote notification".
public struct Payload: Hashable, Sendable {
    /// What the notification shows; `nil` shows nothing.
    public var alert: Alert?
    /// The number on the app's icon: 0 clears it, `nil` leaves it as it is.
    public var badge: Int?
    /// What it plays; `nil` plays nothing.
    public var sound: Sound?
    /// Groups notifications on the screen.
    public var threadID: String?
    /// Names the registered actions it offers.
    public var category: String?
    /// Wakes the app in the background.
    public var isContentAvailable = false
    /// Runs the app's notification service extension first.
    public var isMutableContent = false
    /// How much it may interrupt; `nil` means ``InterruptionLevel/active``.
    public var interruptionLevel: InterruptionLevel?
    /// Its rank in a summary, 0 through 1.
    public var relevanceScore: Double?
    /// Which window of the app it concerns.
    public var targetContentID: String?
    /// The app's own members beside `aps`, written in this order.
    ///
    /// A member named `aps` is left out.
    public var custom: [PayloadValue.Member] = []

    /// An empty payload, `{"aps":{}}`.
    public init() {}

    /// What a notification shows.
    public struct Alert: Hashable, Sendable {
        /// The first line.
        public var title: String?
        /// The second line.
        public var subtitle: String?
        /// The text.
        public var body: String?
        /// Writes a body that stands alone as a text and not as a dictionary, for apps that read it as a text.
        public var prefersText = false

        /// Gathers the lines; each may be absent.
        ///
        /// - Parameters:
        ///   - title: The first line.
        ///   - subtitle: The second line.
        ///   - body: The text.
        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
        }
    }

    /// What a notification plays.
    public enum Sound: Hashable, Sendable {
        /// A file of the app, or `default`.
        case named(String)
        /// A critical alert, which needs Apple's entitlement; the volume goes from 0 through 1.
        case critical(name: String, volume: Double)
    }

    /// How much a notification may interrupt.
    ///
    /// An open set.
    public struct InterruptionLevel: RawRepresentable, Hashable, Sendable {
        /// Apple's word.
        public let rawValue: String

        /// Takes Apple's word.
        ///
        /// - Parameter rawValue: The word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Into the list, without light or sound.
        public static let passive = InterruptionLevel(rawValue: "passive")
        /// As usual.
        public static let active = InterruptionLevel(rawValue: "active")
        /// Through Focus, with the app's entitlement.
        public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
        /// Through the mute switch, with Apple's entitlement.
        public static let critical = InterruptionLevel(rawValue: "critical")
    }
}

extension Payload {
    /// The members of `aps`, in a fixed order.
    var aps: [PayloadValue.Member] {
        var members: [PayloadValue.Member] = []
        func add(_ key: String, _ value: PayloadValue?) {
            if let value { members.append(.init(key, value)) }
        }
        add("alert", alert?.value)
        add("badge", badge.map { .integer(Int64($0)) })
        add("sound", sound?.value)
        add("thread-id", threadID.map(PayloadValue.string))
        add("category", category.map(PayloadValue.string))
        add("content-available", isContentAvailable ? 1 : nil)
        add("mutable-content", isMutableContent ? 1 : nil)
        add("target-content-id", targetContentID.map(PayloadValue.string))
        add("interruption-level", (interruptionLevel?.rawValue).map(PayloadValue.string))
        add("relevance-score", relevanceScore.map(PayloadValue.number))
        return members
    }
}

extension Payload.Alert {
    var value: PayloadValue {
        if prefersText, title == nil, subtitle == nil, let body { return .string(body) }
        return .object(
            [("title", title), ("subtitle", subtitle), ("body", body)].compactMap { key, text in
                text.map { .init(key, .string($0)) }
            }
        )
    }
}

extension Payload.Sound {
    var value: PayloadValue {
        switch self {
        case .named(let name): .string(name)
        case .critical(let name, let volume):
            .object([.init("critical", 1), .init("name", .string(name)), .init("volume", .number(volume))])
        }
    }
}
