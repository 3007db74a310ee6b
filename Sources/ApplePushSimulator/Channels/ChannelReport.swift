/// A broadcast channel, as the control API reports it.
package struct ChannelReport: Hashable, Sendable {
    /// Base64, as senders name it.
    package var id: String
    package var bundleID: String
    package var environment: PushEnvironment
    package var storage: ChannelStorage
    /// Number of subscribed device tokens.
    package var subscribers: Int
    /// Number of accepted broadcasts.
    package var broadcasts: Int
}

/// Whether a broadcast is stored for offline phones.
package enum ChannelStorage: Int, CaseIterable, Codable, Sendable {
    /// It is not stored.
    case none = 0
    /// The last one is stored, for up to eight hours.
    case mostRecent = 1
}
