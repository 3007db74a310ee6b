import NIOConcurrencyHelpers

/// The simulator's controls: what the control API offers over HTTP, for the same process.
package struct SimulatorHandle: Sendable {
    /// Why a control could not be carried out.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// No hexadecimal text of 32 through 256 bytes. Holds the position in the list given.
        case malformedToken(Int)
        /// Strict mode, and the simulator never issued it. Holds the position in the list given.
        case unknownToken(Int)
        case unknownFeed
        case unknownListener
        case unknownConnection
        case unknownChannel
        /// No certificate can be made of what was asked for.
        case badCertificateOrder
        /// There is no room for more device tokens or topics.
        case full

        package var description: String {
            switch self {
            case .malformedToken(let position):
                "device token \(position) is not hexadecimal text of 64 through 512 digits"
            case .unknownToken(let position): "device token \(position) is not known to this simulator"
            case .unknownFeed: "there is no open feed of that id"
            case .unknownListener: "there is no listener of that name"
            case .unknownConnection: "there is no open connection of that id"
            case .unknownChannel: "there is no channel of that id for the app in the environment"
            case .badCertificateOrder: "no certificate can be made of that"
            case .full: "there is no room for more device tokens or topics"
            }
        }
    }

    let core: SimulatorCore
    let pushListeners: PushListeners
    let authority: CertificateAuthority

    // MARK: - Counting

    package func counters() -> Counters {
        core.state.withLockedValue { $0.gateway.currentCounters }
    }

    /// Forgets what was counted, shown, stored and recorded, and all faults.
    ///
    /// Keys, issued tokens and feeds stay.
    package func reset() {
        core.state.withLockedValue { $0.gateway.reset() }
    }

    /// The last requests, oldest first, up to as many as are kept.
    package func requests(limit: Int) -> [RecordedRequest] {
        core.state.withLockedValue { $0.gateway.recorder.last(limit) }
    }

    /// Device tokens that had notifications accepted, with how many, in the order they first came.
    ///
    /// - Parameter position: Where to begin; 0 is the first token the simulator heard of.
    /// - Returns: Up to a thousand, and where to go on; nil when that was all.
    package func acceptedCounts(from position: Int) -> (counts: [(token: String, accepted: Int)], next: Int?) {
        core.state.withLockedValue { state in
            let devices = state.gateway.devices
            let end = min(position + 1000, devices.count)
            guard position < end else { return ([], nil) }
            let counts = (position..<end)
                .filter { devices[$0].accepted > 0 }
                .map { (hexadecimal(devices.token(of: $0)), Int(devices[$0].accepted)) }
            return (counts, end < devices.count ? end : nil)
        }
    }

    // MARK: - Keys

    /// Makes a key known.
    ///
    /// One of the same id is replaced.
    package func addKey(_ key: SigningKey) {
        core.state.withLockedValue { $0.gateway.keys.add(key) }
    }

    /// The keys that are known, by their ids.
    package func keys() -> [SigningKey] {
        core.state.withLockedValue { $0.gateway.keys.all }
    }

    /// - Returns: Whether there was such a key.
    @discardableResult
    package func revokeKey(_ keyID: String) -> Bool {
        core.state.withLockedValue { $0.gateway.keys.revoke(keyID: keyID) }
    }

    // MARK: - Faults

    /// Puts a fault in force, after those that are; one for a listener that there is not hits nothing.
    ///
    /// - Returns: The fault's id.
    @discardableResult
    package func inject(_ fault: Fault) -> Int {
        let position = fault.listener.map { name in
            core.configuration.listeners.firstIndex { $0.name == name } ?? -1
        }
        return core.state.withLockedValue { $0.gateway.faults.add(fault, listener: position) }
    }

    /// - Returns: Whether a fault of that id was in force.
    @discardableResult
    package func removeFault(id: Int) -> Bool {
        core.state.withLockedValue { $0.gateway.faults.remove(id: id) }
    }

    package func faults() -> [Fault] {
        core.state.withLockedValue { $0.gateway.faults.all }
    }

    package func removeFaults() {
        core.state.withLockedValue { $0.gateway.faults.removeAll() }
    }

    /// Takes the simulator off the network, or puts it back: connections are cut, and new ones are closed at once.
    package func setAvailable(_ isAvailable: Bool) {
        core.state.withLockedValue { $0.isAvailable = isAvailable }
        if !isAvailable {
            pushListeners.cutAll()
        }
    }

    /// Cuts all connections without a goodbye.
    ///
    /// New ones are welcome.
    package func cutConnections() {
        pushListeners.cutAll()
    }
}

extension Gateway {
    /// The counters, with those that are kept elsewhere.
    var currentCounters: Counters {
        var counters = counters
        counters.results["accepted"] = counters.accepted
        counters.distinctProviderTokens = keys.distinctTokens
        return counters
    }
}

extension SimulatorCore {
    var isAvailable: Bool {
        state.withLockedValue { $0.isAvailable }
    }
}
