import NIOCore
import NIOSSL

/// How a connection is made.
struct ConnectionRoute: Sendable {
    var endpoint: Endpoint
    /// The proxy; `nil` for none.
    var proxy: HTTPProxy?
    var http2: HTTP2ClientStateMachine.Configuration
    var tls: NIOSSLContext
    /// Timeout of the network, the proxy and TLS, each.
    var timeout: TimeAmount
    var lookUp: AddressLookup.Find
    /// Selects the host's first address: another one for each connection.
    var turn: Int

    /// The host that is connected to.
    var firstHop: (host: String, port: Int) {
        proxy.map { ($0.host, $0.port) } ?? (endpoint.host, endpoint.port)
    }
}
