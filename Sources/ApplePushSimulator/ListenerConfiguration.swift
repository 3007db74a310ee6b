/// A port for senders with its own environment, rules and families.
///
/// All listeners of a simulator share keys, device tokens, phones, channels, faults and counters.
package struct ListenerConfiguration: Hashable, Sendable {
    /// Its name in the control API; unique.
    package var name: String
    /// The port; 0 for any free one.
    package var port: Int
    /// How strictly requests are validated, and in which environment.
    package var rules: ValidationRules
    /// How connections are treated.
    package var connections = ConnectionRules()

    package init(name: String, port: Int = 0, rules: ValidationRules = ValidationRules()) {
        self.name = name
        self.port = port
        self.rules = rules
    }
}

/// The kinds of paths.
///
/// Apple serves the families on different hosts.
package enum PathFamily: String, CaseIterable, Codable, Sendable {
    /// `/3/device/…`, at `api.push.apple.com`.
    case devices
    /// `/4/broadcasts/apps/…`, at `api-broadcast.push.apple.com`.
    case broadcasts
    /// `/1/apps/…/channels`, at `api-manage-broadcast.push.apple.com`.
    case channels
    /// `/1/apps/…/all-channels`, at the same host.
    case channelLists = "channel-lists"
}

extension Set<PathFamily> {
    /// All families on one host, which Apple does not offer.
    package static let everything = Set(PathFamily.allCases)
    package static let pushHost: Set<PathFamily> = [.devices]
    package static let broadcastHost: Set<PathFamily> = [.broadcasts]
    package static let managementHost: Set<PathFamily> = [.channels, .channelLists]
}
