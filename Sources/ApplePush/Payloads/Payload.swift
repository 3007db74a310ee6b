/// A notification's payload: Apple's `aps` dictionary and the app's own keys beside it.
///
/// Every combination of members can be written here, also those that make no sense. ``AlertMessage`` and its like permit
/// only what their push type knows, and bring the headers along.
///
/// Source: "Generating a remote notification".
public struct Payload: Hashable, Sendable {
    /// What the notification shows; `nil` shows nothing.
    public var alert: Alert?
    /// The number on the app's icon: 0 clears it, `nil` leaves it as it is; a negative number counts as 0.
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
    /// Its rank in a summary.
    public var relevanceScore: Fraction?
    /// Which window of the app it concerns.
    public var targetContentID: String?
    /// The criteria that a Focus compares with the app's filter.
    public var filterCriteria: String?
    /// Members of `aps` that have no property here, written after the others; for keys that Apple adds.
    public var otherMembers: [PayloadValue.Member] = []
    /// The app's own members beside `aps`, written in this order.
    ///
    /// A member named `aps` is left out.
    public var custom: [PayloadValue.Member] = []

    /// An empty payload, `{"aps":{}}`.
    public init() {}

    /// What a notification plays.
    public enum Sound: Hashable, Sendable {
        /// A file of the app, or `default`.
        case named(String)
        /// A critical alert, which needs Apple's entitlement, with a file of the app or `default`.
        case critical(name: String, volume: Fraction)
    }

    /// How much a notification may interrupt.
    ///
    /// An open set.
    public struct InterruptionLevel: RawRepresentable, Hashable, Sendable {
        /// Apple's value.
        public let rawValue: String

        /// Makes a level of Apple's value.
        ///
        /// - Parameter rawValue: The value.
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
        add("badge", badge.map { .integer(Int64(max(0, $0))) })
        add("sound", sound?.value)
        add("thread-id", threadID.map(PayloadValue.string))
        add("category", category.map(PayloadValue.string))
        add("content-available", isContentAvailable ? 1 : nil)
        add("mutable-content", isMutableContent ? 1 : nil)
        add("target-content-id", targetContentID.map(PayloadValue.string))
        add("interruption-level", (interruptionLevel?.rawValue).map(PayloadValue.string))
        add("relevance-score", (relevanceScore?.value).map(PayloadValue.number))
        add("filter-criteria", filterCriteria.map(PayloadValue.string))
        return members + otherMembers
    }

    /// The whole object: `aps`, then the app's own members.
    var members: [PayloadValue.Member] {
        [.init("aps", .object(aps))] + custom.filter { $0.key != "aps" }
    }
}

extension Payload.Sound {
    var value: PayloadValue {
        switch self {
        case .named(let name): .string(name)
        case .critical(let name, let volume):
            .object([.init("critical", 1), .init("name", .string(name)), .init("volume", .number(volume.value))])
        }
    }
}
