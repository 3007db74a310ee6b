package import ApplePushConnection
import Logging
import NIOConcurrencyHelpers
import NIOCore

extension APNsSender {
    /// The simulated APNs inside the server.
    package struct SimulatedAPNs: Sendable {
        /// Its address.
        package var endpoint: Endpoint
        /// Its trusted root certificate.
        package var trustRoots: TrustRoots

        package init(endpoint: Endpoint, trustRoots: TrustRoots) {
            self.endpoint = endpoint
            self.trustRoots = trustRoots
        }
    }
}

/// The pools to the simulated APNs inside the server, made when an App first uses it.
final class SimulatedPools: Sendable {
    typealias Pools = ConnectionPools<APNsSender.CredentialKey>

    private struct State {
        var pools: Pools?
        var isShutDown = false
    }

    private let configuration: APNsSender.Configuration
    private let group: any EventLoopGroup
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(_ configuration: APNsSender.Configuration, _ group: any EventLoopGroup, _ logger: Logger) {
        self.configuration = configuration
        self.group = group
        self.logger = logger
    }

    /// The pools; `nil` when there is no simulated APNs.
    ///
    /// - Throws: When it cannot listen.
    func pools() async throws -> Pools? {
        if let known = state.withLockedValue({ $0.pools }) { return known }
        guard let simulator = try await configuration.simulator?() else { return nil }
        return state.withLockedValue { state in
            guard !state.isShutDown else { return nil }
            let pools = state.pools ?? makePools(simulator)
            state.pools = pools
            return pools
        }
    }

    /// Closes the pool of a former key.
    func retire(_ key: APNsSender.CredentialKey) { state.withLockedValue { $0.pools }?.retire(key) }

    /// Lets work in flight finish and closes the connections.
    func shutDown() async {
        let pools = state.withLockedValue { state in
            state.isShutDown = true
            return state.pools
        }
        await pools?.shutDown()
    }

    private func makePools(_ simulator: APNsSender.SimulatedAPNs) -> Pools {
        var options = configuration.pool
        options.trustRoots = simulator.trustRoots
        return Pools(
            endpoint: simulator.endpoint,
            configuration: options,
            limits: configuration.limits,
            eventLoopGroup: group,
            logger: logger
        )
    }
}
