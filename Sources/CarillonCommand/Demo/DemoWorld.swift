#if os(Linux)
import ApplePushConnection
import ApplePushSimulator
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import CarillonWebhooks
import Foundation
import Logging
import ServiceLifecycle

/// A server and a simulated APNs in this process, over real sockets on loopback.
struct DemoWorld: Sendable {
    /// The addresses and credentials of both.
    struct Running: Sendable {
        var server: URL
        /// The simulator's control API.
        var control: URL
        /// The same controls, for this process.
        var apple: SimulatorHandle
        var api: OperatorAPI
        var folder: URL
        /// The push key, as a team downloads it.
        var pushKey: SampleKey
        /// Completes the sample App beside everything else, and returns the ways to its console; `nil` without one.
        var sample: Task<SampleWorld.Entry, any Error>?
    }

    /// The store in the folder has keys already, whose secrets cannot be shown again.
    struct UsedFolder: Error, CustomStringConvertible {
        var description: String { "The folder was used before: its API key was shown then. Name another one." }
    }

    private let folder: URL
    private let port: Int
    private let allowsLocal: Bool
    private let hasSample: Bool
    private let simulator: APNsSimulator
    private let pushKey: SampleKey
    private let logger: Logger

    /// Creates both; nothing listens yet.
    ///
    /// - Parameters:
    ///   - folder: The store's folder; must exist.
    ///   - port: The API's port; 0 for any free one.
    ///   - allowsLocal: Whether the server fetches from this machine.
    ///   - hasSample: Whether there is a sample App with a week of history, and Operators to look at it.
    /// - Throws: When the folder cannot be written to.
    init(folder: URL, port: Int, allowsLocal: Bool = false, hasSample: Bool = false) throws {
        self.folder = folder
        self.port = port
        self.allowsLocal = allowsLocal
        self.hasSample = hasSample
        pushKey = try SampleKey(folder: folder)
        var logger = Logger(label: "carillon.demo") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        self.logger = logger
        var configuration = SimulatorConfiguration()
        configuration.rules.deviceTokens = .strict
        configuration.rules.topics = [DemoMessage.bundleID, SampleContent.bundleID]
        configuration.keys = [pushKey.signingKey]
        simulator = try APNsSimulator(configuration: configuration, logger: logger)
    }

    /// Runs both while a body runs.
    func whileRunning(_ body: @escaping @Sendable (Running) async throws -> Void) async throws {
        let caFile = folder.appendingPathComponent("apns-ca.pem")
        try simulator.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
        try await simulator.whileRunning { apple in
            var configuration = configuration()
            configuration.sendTo(Endpoint(host: apple.host, port: apple.port), trusting: caFile.path)
            let sample = try await sample(&configuration, controlPort: apple.controlPort)
            let server = try await ServerComposition(configuration, logger: logger)
            guard let key = server.firstKey?.secret else { throw UsedFolder() }
            let services = ServiceGroup(configuration: .init(services: try server.services(), logger: logger))
            async let serving: Void = {
                // A server that cannot listen ends without a port, and logs why.
                defer { server.port.cancel() }
                try await services.run()
            }()
            if let port = await server.port.value {
                var world = try running(port: port, controlPort: apple.controlPort, key: key)
                let api = world.api
                world.sample = sample.map { sample in Task { try await sample.open(server.engine, api) } }
                let running = world
                let result = await Result { try await body(running) }
                running.sample?.cancel()
                await services.triggerGracefulShutdown()
                try await serving
                try result.get()
            }
            try await serving
        }
    }

    private func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration(folder: folder)
        configuration.server.port = port
        configuration.registrationLimit = nil
        configuration.newDevicesPerMinute = nil
        configuration.server.requestLimits = nil
        configuration.server.connections.perAddress = nil
        configuration.webhooks.allowsLocal = allowsLocal
        return configuration
    }

    /// Makes the sample in a store that is new.
    private func sample(_ configuration: inout ServerConfiguration, controlPort: Int) async throws -> SampleWorld? {
        guard hasSample, case .file(let path) = configuration.store, !FileManager.default.fileExists(atPath: path),
            let control = URL(string: "http://127.0.0.1:\(controlPort)")
        else { return nil }
        return try await SampleWorld(&configuration, control: control, pushKey: pushKey, logger: logger)
    }

    private func running(port: Int, controlPort: Int, key: String) throws -> Running {
        guard let server = URL(string: "http://127.0.0.1:\(port)"),
            let control = URL(string: "http://127.0.0.1:\(controlPort)")
        else { preconditionFailure("An address and a port make a URL.") }
        return Running(
            server: server,
            control: control,
            apple: simulator.handle,
            api: OperatorAPI(server: server, key: key),
            folder: folder,
            pushKey: pushKey
        )
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
