/// One broadcast channel, as the simulator's owner sees it.
package struct ChannelReport: Hashable, Sendable {
    /// Base64, as senders name it.
    package var id: String
    package var bundleID: String
    package var environment: PushEnvironment
    package var storage: ChannelStorage
    /// How many device tokens are subscribed.
    package var subscribers: Int
    /// How many broadcasts were accepted.
    package var broadcasts: Int
}

/// What becomes of a broadcast for phones that are offline.
package enum ChannelStorage: Int, CaseIterable, Codable, Sendable {
    /// It never reaches them.
    case none = 0
    /// The last one does, for up to eight hours.
    case mostRecent = 1
}
