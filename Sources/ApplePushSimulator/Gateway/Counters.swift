/// Counts since the start or the last reset.
package struct Counters: Codable, Hashable, Sendable {
    /// Accepted notifications, including repeated ones.
    package var accepted = 0
    /// Device tokens with at least one accepted notification.
    package var distinctTokensAccepted = 0
    /// Refused requests, by Apple's rules or by a fault.
    package var rejected = 0
    /// Requests without a response by a fault: reset, excluded by GOAWAY, cut or stalled.
    package var unanswered = 0
    /// Requests by outcome: `accepted`, or the reason of the refusal.
    package var results: [String: Int] = [:]

    /// Device tokens that ever had two copies of one campaign visible at once.
    package var shownTwice = 0
    /// Device tokens that were alerted again by a copy that replaced the first.
    package var realerted = 0
    /// Notifications passed to feeds.
    package var delivered = 0
    /// Notifications stored for an offline phone.
    package var stored = 0
    /// Stored notifications replaced by a newer one.
    package var replacedInStore = 0
    /// Notifications that expired before a phone was online.
    package var expired = 0
    /// Notifications for an offline phone that must not be stored.
    package var notStored = 0
    /// Background pushes with a priority other than 5, an error according to Apple.
    package var backgroundAtHighPriority = 0
    /// Different valid provider tokens.
    package var distinctProviderTokens = 0

    /// Accepted broadcasts; not part of `accepted`.
    package var broadcasts = 0
    /// Completed operations on channels.
    package var channelOperations = 0

    package var connectionsOpened = 0
    package var connectionsOpen = 0
    package var streamsOpened = 0
    /// Streams refused above the limit of concurrent streams.
    package var streamsRefused = 0
    package var streamsOpen = 0
    /// Maximum number of concurrent streams, over all connections.
    package var maxInFlight = 0
    /// Bytes of TLS on the socket.
    package var bytesReceived = 0
    package var bytesSent = 0

    package init() {}

    /// Resets all counts; open connections and streams stay counted.
    mutating func reset() {
        let (connections, streams) = (connectionsOpen, streamsOpen)
        self = Counters()
        connectionsOpen = connections
        streamsOpen = streams
        maxInFlight = streams
    }
}
