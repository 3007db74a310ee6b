import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// A HTTP server on this machine.
enum Listener {
    /// Runs a server while a body runs.
    ///
    /// - Parameters:
    ///   - router: Answers the requests.
    ///   - port: The port; 0 for any that is free.
    ///   - body: Receives the port.
    /// - Throws: When the port is in use, and what the body throws.
    static func run(
        _ router: Router<BasicRequestContext>,
        port: Int,
        _ body: @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "fun-art") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { continuation.yield(port) }
            },
            logger: logger
        )
        let services = ServiceGroup(configuration: .init(services: [application], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A server that cannot listen ends without a port.
                defer { continuation.finish() }
                try await services.run()
            }
            var failure: (any Error)?
            for await port in ports {
                do { try await body(port) } catch { failure = error }
                await services.triggerGracefulShutdown()
                break
            }
            try await group.waitForAll()
            if let failure { throw failure }
        }
    }
}
