package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// Hummingbird's application with a shorter path from request to response.
///
/// The library's own creates a logger with metadata for every request, which costs as much as reading a registration.
/// Here metadata is built only when something is logged.
package struct APIApplication: ApplicationProtocol {
    package typealias Responder = RootResponder

    package let responder: RootResponder
    package let server: HTTPServerBuilder
    package let configuration: ApplicationConfiguration
    package let logger: Logger
    /// Called with the port once the server listens.
    let onRunning: @Sendable (Int) async -> Void

    package func run() async throws {
        let dates = DateField()
        let service = try server.buildServer(
            configuration: ServerConfiguration(
                address: configuration.address,
                backlog: configuration.backlog,
                reuseAddress: configuration.reuseAddress,
                availableConnectionsDelegate: configuration.availableConnectionsDelegate
            ),
            eventLoopGroup: eventLoopGroup,
            logger: logger
        ) { request, writer, channel in
            let context = ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response = await responder.answer(request, context)
            response.headers[.date] = dates.now
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { channel in
            await onRunning(channel.localAddress?.port ?? 0)
        }
        try await service.run()
    }
}
