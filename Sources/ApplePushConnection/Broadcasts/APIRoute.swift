package import NIOCore
import NIOPosix

/// The route to a server: TCP, and a tunnel through an optional proxy.
package struct APIRoute: Sendable {
    package var endpoint: Endpoint
    package var proxy: HTTPProxy?
    /// Timeout of TCP and of the tunnel, each.
    package var timeout: TimeAmount
    /// Finds the addresses of ``firstHop``.
    package var lookUp: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress]

    package init(
        to endpoint: Endpoint,
        through proxy: HTTPProxy? = nil,
        timeout: TimeAmount,
        lookUp: @escaping @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = {
            try AddressLookup.system(host: $0, port: $1)
        }
    ) {
        self.endpoint = endpoint
        self.proxy = proxy
        self.timeout = timeout
        self.lookUp = lookUp
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
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .resolver(AddressLookup(on: eventLoop, turn: 0, find: lookUp))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: firstHop.host, port: firstHop.port)
            .flatMap { channel in
                // Each address has a channel of its own, so nothing is added before one of them is connected.
                let tunnel = proxy.map { ProxyTunnel.open(in: channel, to: endpoint, through: $0, timeout: timeout) }
                return (tunnel ?? channel.eventLoop.makeSucceededVoidFuture())
                    .flatMapThrowing { try assemble(channel) }
                    .map { channel }
                    .always { if case .failure = $0 { channel.close(promise: nil) } }
            }
            .flatMapErrorThrowing { error in
                switch error {
                case let problem as APIConnection.Problem: throw problem
                case let problem as ProxyTunnel.Problem: throw APIConnection.Problem.proxy(problem.detail)
                default: throw APIConnection.Problem.unreachable(ConnectFailureText.text(of: error))
                }
            }
    }
}
