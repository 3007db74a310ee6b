import ApplePushConnection
import ApplePushSender
import ApplePushSimulator
import Foundation
import Logging
import ServiceLifecycle

/// The simulated APNs inside a node, for Apps that have no key of Apple's yet.
///
/// It listens on loopback and starts when an App first sends to it: most servers never have one. It accepts every token and
/// has no control API.
final class SimulatedApple: Service {
    /// The node ends.
    struct Ended: Error {}

    private let logger: Logger
    private let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let address = OnceValue<Result<APNsSender.SimulatedAPNs, any Error>>()

    init(logger: Logger) { self.logger = logger }

    /// Where it listens; starts it.
    ///
    /// - Throws: When it cannot listen, or the node ends.
    func apns() async throws -> APNsSender.SimulatedAPNs {
        wish.yield()
        guard let result = await address.value else { throw Ended() }
        return try result.get()
    }

    /// Waits until it is wanted, and then serves until the node ends.
    func run() async throws {
        defer { address.cancel() }
        guard await isWanted() else { return }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-simulated-apns-" + UUID().uuidString, isDirectory: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let simulator = try makeSimulator()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let roots = folder.appendingPathComponent("ca.pem")
            try simulator.certificateAuthorityPEM.write(to: roots, atomically: true, encoding: .utf8)
            async let serving: Void = simulator.run()
            let place = try await simulator.addresses()
            address.set(
                .success(
                    APNsSender.SimulatedAPNs(
                        endpoint: Endpoint(host: place.host, port: place.port),
                        trustRoots: .file(roots.path)
                    )
                )
            )
            logger.notice("An App uses the simulated APNs", metadata: ["carillon.port": "\(place.port)"])
            try await serving
        } catch {
            // The node works on without it: the Apps that use it retry, and the log says why.
            logger.error("The simulated APNs cannot be used", metadata: ["error": "\(error)"])
            address.set(.failure(error))
            try? await gracefulShutdown()
        }
    }

    // MARK: - Private

    /// Whether an App wants it before the node ends.
    private func isWanted() async -> Bool {
        for await _ in wishes.cancelOnGracefulShutdown() { return true }
        return false
    }

    private func makeSimulator() throws -> APNsSimulator {
        var configuration = SimulatorConfiguration()
        configuration.hasControlAPI = false
        configuration.recordedRequests = 0
        // Its keys are those of any App, which only the server knows.
        configuration.rules.providerTokens = .anyKey
        return try APNsSimulator(configuration: configuration, logger: logger)
    }
}
