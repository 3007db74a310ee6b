public import NIOCore
public import NIOPosix
package import NIOSSL

/// A client for broadcast channels of Live Activities: creates, reads, lists and deletes them, and sends to their
/// subscribers.
///
/// Requests are few, so it has one connection to each of the two endpoints, made on demand. Teams must not share a
/// client: APNs binds a connection to the team of its first request. Devices need iOS 18. Sources: "Sending channel
/// management requests to APNs", "Sending broadcast push notification requests to APNs".
///
/// All methods are thread-safe, and cancelling their task ends the wait. After use call ``shutDown()``.
public final class BroadcastClient: Sendable {
    /// Options of a client.
    public struct Configuration: Sendable {
        /// The trusted root certificates.
        public var trustRoots = TrustRoots.system
        /// The client certificate; `nil` with provider tokens.
        public var identity: ClientIdentity?
        /// The proxy; `nil` for none.
        public var proxy: HTTPProxy?
        /// Timeout of a connection, including TLS and APNs' SETTINGS.
        public var connectTimeout = Duration.seconds(10)
        /// After this time without a request a connection is replaced, not reused.
        ///
        /// Idle connections have been seen to die without a notice.
        public var idleLimit = Duration.seconds(600)
        /// Finds a host's addresses for each connection.
        ///
        /// Tests use names that no resolver knows.
        package var lookUp: @Sendable (_ host: String, _ port: Int) throws -> [SocketAddress] = {
            try AddressLookup.system(host: $0, port: $1)
        }

        /// Creates the default options.
        public init() {}
    }

    let management: APIClient
    let sending: APIClient

    /// Creates a client, which connects on demand.
    ///
    /// - Parameters:
    ///   - endpoints: APNs' endpoints.
    ///   - configuration: The options.
    ///   - eventLoopGroup: The event loops; must outlive the client. By default those that the process shares.
    /// - Throws: NIOSSL's error when the trust roots cannot be read.
    public init(
        endpoints: BroadcastEndpoints,
        configuration: Configuration = Configuration(),
        eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) throws {
        let tls = try NIOSSLContext(
            configuration: .apns(trusting: configuration.trustRoots, as: configuration.identity)
        )
        func client(_ endpoint: Endpoint) -> APIClient {
            APIClient(
                APIRoute(
                    to: endpoint,
                    through: configuration.proxy,
                    timeout: TimeAmount(configuration.connectTimeout),
                    lookUp: configuration.lookUp
                ),
                tls: tls,
                idleLimit: TimeAmount(configuration.idleLimit),
                group: eventLoopGroup
            )
        }
        management = client(endpoints.management)
        sending = client(endpoints.sending)
    }

    /// Why the last connection for channel management ended; `nil` when none has.
    public var lastManagementClosure: ConnectionClosure? { management.lastClosure }

    /// Why the last connection for broadcasts ended; `nil` when none has.
    public var lastSendingClosure: ConnectionClosure? { sending.lastClosure }

    /// Accepts no more requests; those in flight may finish.
    public func shutDown() {
        management.shutDown()
        sending.shutDown()
    }
}

extension TLSConfiguration {
    /// The TLS settings of an APNs client: only `h2`, at least TLS 1.2, and an optional certificate.
    package static func apns(trusting roots: TrustRoots, as identity: ClientIdentity? = nil) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.applicationProtocols = ["h2"]
        tls.minimumTLSVersion = .tlsv12
        if case .file(let path) = roots { tls.trustRoots = .file(path) }
        identity?.present(in: &tls)
        return tls
    }
}
