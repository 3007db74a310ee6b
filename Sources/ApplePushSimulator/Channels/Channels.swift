import Foundation

/// The broadcast channels of all apps, and their subscribers.
///
/// An app has separate channels in each environment. Has no I/O; the consequences of a broadcast are returned.
struct Channels: Sendable {
    /// The owner of channels: Apple shares none between environments.
    struct Owner: Hashable, Sendable {
        var bundleID: String
        var environment: PushEnvironment
    }

    /// Identifies a channel.
    struct Name: Hashable, Sendable {
        var owner: Owner
        /// Base64.
        var id: String
    }

    /// Maximum number of channels of an app in an environment.
    static let limit = 10_000
    /// Maximum time for which Apple stores a channel's last message.
    static let longestStorage = Duration.seconds(8 * 3600)

    private struct Channel: Sendable {
        var storage: ChannelStorage
        var subscribers: Set<DeviceTable.Index> = []
        var broadcasts = 0
        var last: Last?
    }

    /// The stored broadcast of a channel.
    private struct Last: Sendable {
        var delivery: Delivery
        var expiration: SimulatedTime
        var missed: Set<DeviceTable.Index>
    }

    /// The ids of an owner's channels by creation.
    private var ids: [Owner: [String]] = [:]
    private var channels: [Name: Channel] = [:]
    private var subscriptions: [DeviceTable.Index: Set<Name>] = [:]
    /// Apps whose capability is disabled.
    private var disabled: Set<String> = []

    // MARK: - What senders may do

    /// - Returns: The new channel's id.
    mutating func create(
        for owner: Owner,
        storage: ChannelStorage,
        using random: inout SplitMix64
    ) throws(Rejection) -> String {
        try checkFeature(owner)
        guard ids[owner, default: []].count < Self.limit else { throw Rejection(.cannotCreateChannelConfig) }
        let bytes = withUnsafeBytes(of: (random.next(), random.next())) { Data($0) }
        let id = bytes.base64EncodedString()
        ids[owner, default: []].append(id)
        channels[Name(owner: owner, id: id)] = Channel(storage: storage)
        return id
    }

    func storage(of name: Name) throws(Rejection) -> ChannelStorage {
        try channel(name).storage
    }

    func list(of owner: Owner) throws(Rejection) -> [String] {
        try checkFeature(owner)
        return ids[owner] ?? []
    }

    mutating func delete(_ name: Name) throws(Rejection) {
        _ = try channel(name)
        remove(name)
    }

    /// Accepts a broadcast.
    ///
    /// - Returns: The subscribed devices.
    /// - Throws: The rejection, when the channel is unknown or must not store.
    func broadcast(_ acceptance: BroadcastAcceptance, to name: Name) throws(Rejection) -> [DeviceTable.Index] {
        let channel = try channel(name)
        guard channel.storage != .none || acceptance.expiration == 0 else { throw Rejection(.badExpirationDate) }
        return channel.subscribers.sorted()
    }

    /// Stores a broadcast for offline subscribers, and replaces the previous one.
    ///
    /// - Returns: Whether it is stored.
    mutating func store(
        _ delivery: Delivery,
        in name: Name,
        expiration: Int64,
        missedBy missed: [DeviceTable.Index],
        at now: SimulatedTime
    ) -> Bool {
        channels[name]?.broadcasts += 1
        channels[name]?.last = nil
        guard channels[name]?.storage == .mostRecent, expiration != 0 else { return false }
        let longest = now.advanced(by: Self.longestStorage)
        channels[name]?.last = Last(
            delivery: delivery,
            expiration: min(SimulatedTime(seconds: expiration), longest),
            missed: Set(missed)
        )
        return true
    }

    // MARK: - What phones do

    /// - Returns: False when the channel is unknown.
    mutating func subscribe(_ devices: [DeviceTable.Index], to name: Name) -> Bool {
        guard channels[name] != nil else { return false }
        channels[name]?.subscribers.formUnion(devices)
        for device in devices {
            subscriptions[device, default: []].insert(name)
        }
        return true
    }

    /// - Returns: False when the channel is unknown.
    mutating func unsubscribe(_ devices: [DeviceTable.Index], from name: Name) -> Bool {
        guard channels[name] != nil else { return false }
        channels[name]?.subscribers.subtract(devices)
        channels[name]?.last?.missed.subtract(devices)
        for device in devices {
            subscriptions[device]?.remove(name)
        }
        return true
    }

    /// Removes and returns the valid broadcasts that a phone missed while it was offline.
    mutating func removeMissed(
        by device: DeviceTable.Index,
        token: ArraySlice<UInt8>,
        at now: SimulatedTime
    ) -> [Delivery] {
        var missed: [Delivery] = []
        for name in (subscriptions[device] ?? []).sorted(by: { $0.id < $1.id }) {
            guard let last = channels[name]?.last, last.missed.contains(device) else { continue }
            channels[name]?.last?.missed.remove(device)
            guard last.expiration > now else { continue }
            var delivery = last.delivery
            delivery.token = Array(token)
            delivery.at = now
            missed.append(delivery)
        }
        return missed
    }

    // MARK: - What the simulator's owner does

    /// Enables or disables an app's capability; disabling deletes its channels in both environments.
    mutating func setEnabled(_ isEnabled: Bool, for bundleID: String) {
        guard !isEnabled else {
            disabled.remove(bundleID)
            return
        }
        disabled.insert(bundleID)
        for environment in PushEnvironment.allCases {
            let owner = Owner(bundleID: bundleID, environment: environment)
            for id in ids[owner] ?? [] {
                remove(Name(owner: owner, id: id))
            }
        }
    }

    /// All channels, by bundle identifier, environment and creation.
    var reports: [ChannelReport] {
        let owners = ids.keys.sorted { ($0.bundleID, $0.environment.rawValue) < ($1.bundleID, $1.environment.rawValue) }
        return owners.flatMap { owner in
            (ids[owner] ?? []).compactMap { id in
                channels[Name(owner: owner, id: id)].map { channel in
                    ChannelReport(
                        id: id,
                        bundleID: owner.bundleID,
                        environment: owner.environment,
                        storage: channel.storage,
                        subscribers: channel.subscribers.count,
                        broadcasts: channel.broadcasts
                    )
                }
            }
        }
    }

    // MARK: - Private

    private func checkFeature(_ owner: Owner) throws(Rejection) {
        guard !disabled.contains(owner.bundleID) else { throw Rejection(.featureNotEnabled) }
    }

    private func channel(_ name: Name) throws(Rejection) -> Channel {
        try checkFeature(name.owner)
        guard let channel = channels[name] else { throw Rejection(.channelNotRegistered) }
        return channel
    }

    private mutating func remove(_ name: Name) {
        guard let channel = channels.removeValue(forKey: name) else { return }
        ids[name.owner]?.removeAll { $0 == name.id }
        for device in channel.subscribers {
            subscriptions[device]?.remove(name)
        }
    }
}
