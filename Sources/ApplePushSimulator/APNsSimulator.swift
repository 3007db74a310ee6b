import Foundation
package import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServiceLifecycle

/// Apple's push service on loopback: accepts and refuses as Apple does, misbehaves on command, and hands
/// deliveries to simulated phones.
///
/// Senders reach it over TLS and HTTP/2; everything else goes through the control API over plain HTTP, or, from the
/// same process, through ``handle``. It is for tests and measurements, never for a network.
package final class APNsSimulator: Service {
    /// Where the simulator can be reached.
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
    /// Those who look on over the control API.
    let watchers: Watchers

    /// Sets the simulator up; nothing is listening yet.
    ///
    /// - Parameters:
    ///   - configuration: How strict it is, and where it listens.
    ///   - clock: By which provider tokens age and stored notifications expire. Certificates go by the real time.
    ///   - logger: Gets little: what clients do wrong is in the answers.
    /// - Throws: What kept the certificates from being made.
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

    /// Serves until the task is cancelled or a graceful shutdown begins; then says goodbye to all clients.
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
        // The handle holds the core: the ring is broken here.
        core.whenPending.withLockedValue { $0 = PendingHandler() }
        try await listeners.stop()
        try result.get()
    }

    /// Serves the control API until the end.
    private func serve(_ control: ControlAPI) async -> Result<Void, any Error> {
        let application = control.application(configuration: core.configuration, logger: core.logger) { [bound] in
            bound.set(controlPort: $0)
        }
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: { [handle, listeners, watchers] in
                handle.closeFeeds()
                watchers.endAll()
                listeners.sayGoodbye()
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

    /// Says goodbye to all clients as a graceful stop does, but goes on listening.
    package func sayGoodbye() {
        listeners.sayGoodbye()
    }

    /// Waits until all ports are open.
    ///
    /// - Throws: What kept a port from being opened.
    package func addresses() async throws -> Addresses {
        try await bound.addresses()
    }
}

extension APNsSimulator {
    /// Runs the simulator for as long as a body takes, and stops it gracefully then.
    ///
    /// For tests.
    ///
    /// - Parameter body: Is given where the simulator can be reached.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or what kept a port from being opened.
    package func whileRunning<Value: Sendable>(
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
