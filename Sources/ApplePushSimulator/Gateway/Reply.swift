/// What the connection shall do about a request.
struct Reply: Sendable {
    /// How the answer is given, or withheld.
    enum Manner: Hashable, Sendable {
        case answer
        case delayed(Duration)
        case reset(UInt32)
        case goAway(Goodbye)
        case close
        case stall
        /// An answer as usual, after which the connection does nothing for a while.
        case pause(Duration)
    }

    /// What few answers have, kept apart so that all others are small.
    struct Rare: Sendable {
        /// The new channel, in `apns-channel-id`.
        var channel: String?
        /// The body of an answer that is no refusal; JSON.
        var body: [UInt8] = []
        /// Whether refusals have a content type.
        var namesContentType = false
        /// How many streams the connection may have open from now on; nil: as before.
        var streamLimit: UInt32?
    }

    var manner = Manner.answer
    var status = 200
    var reason: String?
    var timestamp: SimulatedTime?
    /// The request's own id, or a generated one.
    var id: NotificationID
    /// Whether the id goes by `apns-request-id`, as with channels, and not by `apns-id`.
    var isOfChannels = false
    /// The sandbox's `apns-unique-id`.
    var uniqueID: NotificationID?
    var rare: Rare?

    init(id: NotificationID) {
        self.id = id
    }

    mutating func refuse(_ status: Int, _ reason: String, timestamp: SimulatedTime? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        rare?.channel = nil
        rare?.body = []
    }

    /// Whether the client gets an answer, sooner or later.
    var isAnswered: Bool {
        switch manner {
        case .answer, .delayed, .pause: true
        case .reset, .goAway, .close, .stall: false
        }
    }

    /// Whether nothing that came after the request is looked at any more.
    var isLast: Bool {
        switch manner {
        case .answer, .delayed, .reset, .pause: false
        case .goAway, .close, .stall: true
        }
    }

    /// `{"reason":"…"}`, with the timestamp after it if there is one; for a success empty, but for some of channels.
    var body: [UInt8] {
        guard let reason else { return rare?.body ?? [] }
        let timestamp = timestamp.map { ",\"timestamp\":\($0.milliseconds)" } ?? ""
        return Array("{\"reason\":\(JSONText.quoted(reason))\(timestamp)}".utf8)
    }
}

/// Names one open delivery feed.
package struct FeedID: Hashable, Codable, RawRepresentable, Sendable {
    package var rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
