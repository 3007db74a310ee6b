/// What the connection shall do about a request.
struct Reply: Sendable {
    /// How the answer is given, or withheld.
    enum Manner: Hashable, Sendable {
        case answer
        case delayed(Duration)
        case reset(UInt32)
        case goAway(Goodbye)
        case close
        /// For this long; nil: for ever.
        case stall(Duration?)
    }

    var manner = Manner.answer
    var status = 200
    var reason: String?
    var timestamp: WallTime?
    /// The request's own `apns-id`, or a generated one.
    var id: NotificationID
    /// The sandbox's `apns-unique-id`.
    var uniqueID: NotificationID?
    /// How many streams the connection may have open from now on; nil: as before.
    var streamLimit: UInt32?
    /// What a phone in a feed gets, and the feed.
    var delivery: (feed: FeedID, delivery: Delivery)?

    init(id: NotificationID) {
        self.id = id
    }

    mutating func refuse(_ status: Int, _ reason: String, timestamp: WallTime? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
    }

    var isAnswered: Bool {
        switch manner {
        case .answer, .delayed: true
        case .reset, .goAway, .close, .stall: false
        }
    }

    /// `{"reason":"…"}`, with the timestamp after it if there is one; empty for a success.
    var body: [UInt8] {
        guard let reason else { return [] }
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
