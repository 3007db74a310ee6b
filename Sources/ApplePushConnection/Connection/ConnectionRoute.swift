import NIOCore
import NIOSSL

/// How a connection is made.
struct ConnectionRoute: Sendable {
    var endpoint: Endpoint
    /// Through which proxy; `nil` for none.
    var proxy: HTTPProxy?
    var http2: HTTP2ClientStateMachine.Configuration
    var tls: NIOSSLContext
    /// How long the network, the proxy and TLS may take, each.
    var timeout: TimeAmount
    var lookUp: AddressLookup.Find
    /// Which of the host's addresses comes first: another one for each connection.
    var turn: Int

    /// Whose name is looked up.
    var firstHop: (host: String, port: Int) {
        proxy.map { ($0.host, $0.port) } ?? (endpoint.host, endpoint.port)
    }
}
