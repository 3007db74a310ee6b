import CarillonBytes
import NIOConcurrencyHelpers

/// The operations of the control API, for the same process.
package struct SimulatorHandle: Sendable {
    /// Why an operation failed.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// Not hexadecimal text of 32 through 256 bytes. Holds the position in the given list.
        case malformedToken(Int)
        /// Not issued by the simulator, in strict mode. Holds the position in the given list.
        case unknownToken(Int)
        case unknownFeed
        case unknownListener
        case unknownConnection
        case unknownChannel
        /// No certificate can be created from the order.
        case badCertificateOrder
        /// Too many device tokens or topics.
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
            case .badCertificateOrder: "no certificate can be created from this order"
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

    /// Resets counts, screens, stored notifications, recorded requests and faults.
    ///
    /// Keys, issued tokens and feeds stay.
    package func reset() {
        core.state.withLockedValue { $0.gateway.reset() }
    }

    /// The last recorded requests, oldest first.
    package func requests(limit: Int) -> [RecordedRequest] {
        core.state.withLockedValue { $0.gateway.recorder.last(limit) }
    }

    /// Device tokens with their numbers of accepted notifications, by first use.
    ///
    /// - Parameter position: The first position; 0 is the first known token.
    /// - Returns: Up to a thousand, and the position of the next page; nil for the last page.
    package func acceptedCounts(from position: Int) -> (counts: [(token: String, accepted: Int)], next: Int?) {
        core.state.withLockedValue { state in
            let devices = state.gateway.devices
            let end = min(position + 1000, devices.count)
            guard position < end else { return ([], nil) }
            let counts = (position..<end)
                .filter { devices[$0].accepted > 0 }
                .map { (Hexadecimal.encode(devices.token(of: $0)), Int(devices[$0].accepted)) }
            return (counts, end < devices.count ? end : nil)
        }
    }

    // MARK: - Keys

    /// Adds a key.
    ///
    /// Replaces one with the same id.
    package func addKey(_ key: SigningKey) {
        core.state.withLockedValue { $0.gateway.keys.add(key) }
    }

    /// The known keys by id.
    package func keys() -> [SigningKey] {
        core.state.withLockedValue { $0.gateway.keys.all }
    }

    /// - Returns: Whether the key was known.
    @discardableResult
    package func revokeKey(_ keyID: String) -> Bool {
        core.state.withLockedValue { $0.gateway.keys.revoke(keyID: keyID) }
    }

    // MARK: - Faults

    /// Adds a fault after the active ones; one for an unknown listener hits nothing.
    ///
    /// - Returns: The fault's id.
    @discardableResult
    package func inject(_ fault: Fault) -> Int {
        let position = fault.listener.map { name in
            core.configuration.listeners.firstIndex { $0.name == name } ?? -1
        }
        return core.state.withLockedValue { $0.gateway.faults.add(fault, listener: position) }
    }

    /// - Returns: Whether a fault with that id was active.
    @discardableResult
    package func removeFault(id: Int) -> Bool {
        core.state.withLockedValue { $0.gateway.faults.remove(id: id) }
    }

    package func faults() -> [Fault] {
        let now = core.clock.now
        return core.state.withLockedValue { state in
            state.gateway.faults.removeEnded(at: now)
            return state.gateway.faults.all
        }
    }

    package func removeFaults() {
        core.state.withLockedValue { $0.gateway.faults.removeAll() }
    }

    /// Simulates a network outage, or ends it: connections are cut, and new ones are closed at once.
    package func setAvailable(_ isAvailable: Bool) {
        core.state.withLockedValue { $0.isAvailable = isAvailable }
        if !isAvailable {
            pushListeners.cutAll()
        }
    }

    /// Cuts all connections without GOAWAY.
    ///
    /// New ones are accepted.
    package func cutConnections() {
        pushListeners.cutAll()
    }
}

extension Gateway {
    /// The counters, including those that are stored elsewhere.
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
