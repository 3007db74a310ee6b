package import NIOCore
import NIOHTTP1
import NIOPosix

/// The route to a server: TCP, and a tunnel through an optional proxy.
package struct APIRoute: Sendable {
    package var endpoint: Endpoint
    package var proxy: HTTPProxy?
    /// Timeout of TCP and of the tunnel, each.
    package var timeout: TimeAmount

    package init(to endpoint: Endpoint, through proxy: HTTPProxy? = nil, timeout: TimeAmount) {
        self.endpoint = endpoint
        self.proxy = proxy
        self.timeout = timeout
    }

    /// The host that is connected to.
    package var firstHop: Endpoint {
        proxy.map { Endpoint(host: $0.host, port: $0.port) } ?? endpoint
    }

    /// The name for SNI; `nil` for an address, which SNI does not allow (RFC 6066 §3) and which is verified against the
    /// peer's.
    package var serverHostname: String? {
        (try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)) == nil ? endpoint.host : nil
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - eventLoop: The channel's event loop.
    ///   - assemble: Adds TLS and what follows to the pipeline, once bytes reach the server.
    /// - Returns: The channel with its pipeline. Fails with ``APIConnection/Problem``.
    package func connect(
        on eventLoop: any EventLoop,
        _ assemble: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let way = eventLoop.makePromise(of: Void.self)
        let connected = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let proxy else {
                        try assemble(channel)
                        return way.succeed(())
                    }
                    try dig(proxy, channel, way, assemble)
                }
            }
            .connect(host: firstHop.host, port: firstHop.port)
        let failure = connected.flatMapErrorThrowing { error in
            let problem = error as? APIConnection.Problem
            throw problem ?? .unreachable(String(String(describing: error).prefix(200)))
        }
        failure.whenFailure { way.fail($0) }
        return failure.and(way.futureResult).map { $0.0 }
    }

    /// Requests a tunnel from the proxy, and then removes HTTP/1.1 from the pipeline.
    private func dig(
        _ proxy: HTTPProxy,
        _ channel: any Channel,
        _ way: EventLoopPromise<Void>,
        _ assemble: @escaping @Sendable (any Channel) throws -> Void
    ) throws {
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
        let handler = ProxyHandler(
            to: endpoint,
            authorization: proxy.authorization,
            timeout: timeout,
            onTunnel: { handler in
                let pipeline = channel.pipeline.syncOperations
                let leaving: [any RemovableChannelHandler] = [encoder, decoder, handler]
                EventLoopFuture.andAllSucceed(leaving.map { pipeline.removeHandler($0) }, on: channel.eventLoop)
                    .flatMapThrowing { try assemble(channel) }
                    .cascade(to: way)
            },
            onFailure: { way.fail(APIConnection.Problem.proxy($0)) }
        )
        try channel.pipeline.syncOperations.addHandlers([encoder, decoder, handler])
    }
}
