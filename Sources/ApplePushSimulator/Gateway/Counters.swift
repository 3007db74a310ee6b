/// What the simulator has counted since its start or the last reset.
package struct Counters: Codable, Hashable, Sendable {
    /// Notifications accepted, repeats included.
    package var accepted = 0
    /// Device tokens that had at least one notification accepted.
    package var distinctTokensAccepted = 0
    /// Requests refused, by Apple's rules or by a fault.
    package var rejected = 0
    /// Requests that got no answer on purpose: reset, left out by GOAWAY, cut or stalled.
    package var unanswered = 0
    /// Requests by outcome: `accepted`, or the reason of the refusal.
    package var results: [String: Int] = [:]

    /// Device tokens that ever had more than one copy of the same campaign visible at once.
    package var shownTwice = 0
    /// Device tokens that were alerted again by a copy that replaced its first.
    package var realerted = 0
    /// Notifications handed to feeds.
    package var delivered = 0
    /// Notifications kept for a phone that was offline.
    package var stored = 0
    /// Stored notifications that a newer one pushed out.
    package var replacedInStore = 0
    /// Notifications that were too old when a phone could have had them.
    package var expired = 0
    /// Notifications for an offline phone that said they must not be stored.
    package var notStored = 0
    /// Background pushes with a priority other than 5, which Apple calls an error.
    package var backgroundAtHighPriority = 0
    /// Different provider tokens that were in order.
    package var distinctProviderTokens = 0

    /// Broadcasts accepted; they are not among `accepted`.
    package var broadcasts = 0
    /// Operations on channels that were carried out.
    package var channelOperations = 0

    package var connectionsOpened = 0
    package var connectionsOpen = 0
    package var streamsOpened = 0
    /// Streams refused because they were more than the client may have open.
    package var streamsRefused = 0
    package var streamsOpen = 0
    /// The most streams that were open at once, over all connections.
    package var maxInFlight = 0
    /// Bytes of TLS as they crossed the socket.
    package var bytesReceived = 0
    package var bytesSent = 0

    package init() {}

    /// Starts anew; what is open stays open.
    mutating func reset() {
        let (connections, streams) = (connectionsOpen, streamsOpen)
        self = Counters()
        connectionsOpen = connections
        streamsOpen = streams
        maxInFlight = streams
    }
}
