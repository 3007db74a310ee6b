import Foundation
package import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// Simulates APNs on loopback: accepts and refuses as Apple does, injects faults, and delivers to simulated phones.
///
/// Senders connect over TLS and HTTP/2; everything else uses the control API over plain HTTP, or, in the same process,
/// ``handle``. It is for tests and measurements, never for a network.
package final class APNsSimulator: Service {
    /// The addresses of a running simulator.
    package struct Addresses: Hashable, Sendable {
        package var host: String
        /// The port for senders: the first listener's.
        package var port: Int
        /// The ports of all listeners, by their names.
        package var ports: [String: Int]
        /// The port of the control API.
        package var controlPort: Int
    }

    /// The certificate that clients must trust, in PEM.
    package let certificateAuthorityPEM: String
    /// The simulator's controls, for the same process.
    package let handle: SimulatorHandle
    private let core: SimulatorCore
    private let listeners: PushListeners
    private let bound: Bound
    /// The open event streams of the control API.
    let watchers: Watchers

    /// Creates a simulator that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: How strict it is, and where it listens.
    ///   - clock: Determines the age of provider tokens and the expiration of notifications. Certificates use the real
    ///     time.
    ///   - logger: Logs little: errors of clients are in the responses.
    /// - Throws: When the certificates cannot be created.
    package init(
        configuration: SimulatorConfiguration,
        clock: any WallClock = SystemWallClock(),
        logger: Logger
    ) throws {
        let authority = try CertificateAuthority(addresses: ["127.0.0.1", "::1", configuration.host], now: Date())
        certificateAuthorityPEM = authority.pem
        core = SimulatorCore(configuration: configuration, clock: clock, logger: logger)
        listeners = try PushListeners(core: core, authority: authority)
        handle = SimulatorHandle(core: core, pushListeners: listeners, authority: authority)
        bound = Bound()
        watchers = Watchers(pace: configuration.watchPace)
    }

    /// Serves until the task is cancelled or a graceful shutdown begins; then sends GOAWAY to all clients.
    package func run() async throws {
        do {
            let ports = try await listeners.start()
            bound.set(ports: ports, of: core.configuration)
        } catch {
            bound.fail(error)
            throw error
        }
        let control = ControlAPI(
            handle: handle,
            certificateAuthorityPEM: certificateAuthorityPEM,
            watchers: watchers,
            addresses: { [bound] in try await bound.addresses() }
        )
        core.whenPending.withLockedValue { [handle] in $0.perform = { handle.perform($0) } }
        if let scenario = core.configuration.scenario {
            handle.begin(scenario)
        }
        let result = await serve(control)
        handle.closeFeeds()
        watchers.endAll()
        handle.endScenario()
        // The handle holds the core: this breaks the retain cycle.
        core.whenPending.withLockedValue { $0 = PendingHandler() }
        try await listeners.stop()
        try result.get()
    }

    /// Serves the control API, if there is one, until shutdown.
    private func serve(_ control: ControlAPI) async -> Result<Void, any Error> {
        guard core.configuration.hasControlAPI else {
            bound.set(controlPort: 0)
            try? await gracefulShutdown()
            listeners.sendGoAway()
            return .success(())
        }
        let application = control.application(configuration: core.configuration, logger: core.logger) { [bound] in
            bound.set(controlPort: $0)
        }
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: { [handle, listeners, watchers] in
                handle.closeFeeds()
                watchers.endAll()
                listeners.sendGoAway()
            }
            return .success(())
        } catch let error as IOError {
            let port = core.configuration.controlPort
            let failure = ListenFailure(port: port, purpose: "the control API", cause: error)
            bound.fail(failure)
            return .failure(failure)
        } catch {
            bound.fail(error)
            return .failure(error)
        }
    }

    /// Sends GOAWAY to all clients as a graceful shutdown does, but continues to listen.
    package func sendGoAway() {
        listeners.sendGoAway()
    }

    /// Waits until all ports are open.
    ///
    /// - Throws: When a port cannot be opened.
    package func addresses() async throws -> Addresses {
        try await bound.addresses()
    }
}

extension APNsSimulator {
    /// Runs the simulator while a body runs, and then stops it gracefully.
    ///
    /// For tests.
    ///
    /// - Parameters:
    ///   - isolation: The caller's.
    ///   - body: Gets the simulator's addresses.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or of opening a port.
    package func whileRunning<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (Addresses) async throws -> Value
    ) async throws -> Value {
        let services = ServiceGroup(
            configuration: .init(services: [self], logger: core.logger)
        )
        async let running: Void = services.run()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(try await addresses()))
        } catch {
            result = .failure(error)
        }
        await services.triggerGracefulShutdown()
        try await running
        return try result.get()
    }
}
