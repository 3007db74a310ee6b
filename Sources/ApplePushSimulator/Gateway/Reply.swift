/// What the connection does with a request.
struct Reply: Sendable {
    /// How the response is sent, or withheld.
    enum Manner: Hashable, Sendable {
        case answer
        case delayed(Duration)
        case reset(UInt32)
        case goAway(Goodbye)
        case close
        case stall
        /// A normal response, after which the connection pauses.
        case pause(Duration)
    }

    /// Rare parts of a response, stored separately to make the others small.
    struct Rare: Sendable {
        /// The new channel, in `apns-channel-id`.
        var channel: String?
        /// The body of a response that is not a refusal; JSON.
        var body: [UInt8] = []
        /// Whether refusals have a content type.
        var namesContentType = false
        /// The connection's new limit of concurrent streams; nil when unchanged.
        var streamLimit: UInt32?
    }

    var manner = Manner.answer
    var status = 200
    var reason: String?
    var timestamp: SimulatedTime?
    /// The request's own id, or a generated one.
    var id: NotificationID
    /// Whether the id is in `apns-request-id`, as with channels, and not in `apns-id`.
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

    /// Whether the client gets a response.
    var isAnswered: Bool {
        switch manner {
        case .answer, .delayed, .pause: true
        case .reset, .goAway, .close, .stall: false
        }
    }

    /// Whether requests after this one are ignored.
    var isLast: Bool {
        switch manner {
        case .answer, .delayed, .reset, .pause: false
        case .goAway, .close, .stall: true
        }
    }

    /// `{"reason":"…"}`, with an optional timestamp; empty for a success, except for some of channels.
    var body: [UInt8] {
        guard let reason else { return rare?.body ?? [] }
        let timestamp = timestamp.map { ",\"timestamp\":\($0.milliseconds)" } ?? ""
        return Array("{\"reason\":\(JSONText.quoted(reason))\(timestamp)}".utf8)
    }
}

/// Identifies an open delivery feed.
package struct FeedID: Hashable, Codable, RawRepresentable, Sendable {
    package var rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
