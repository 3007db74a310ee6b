public import NIOCore
package import NIOSSL

/// Broadcast channels of Live Activities: creates, reads, lists and deletes them, and sends to all who subscribe.
///
/// One connection to each of the two endpoints, made when it is needed; for these requests are few. Teams must not share a
/// client: APNs binds a connection to the team of its first request. Devices need iOS 18.
/// Sources: "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs".
///
/// Every method may be called from anywhere, and cancelling its task ends its wait. After use call ``shutDown()``.
public final class BroadcastClient: Sendable {
    /// What may be different from client to client.
    public struct Configuration: Sendable {
        /// Whom to trust.
        public var trustRoots = TrustRoots.system
        /// The client certificate that speaks for the sender; `nil` where provider tokens do.
        public var identity: ClientIdentity?
        /// A proxy through which the connections go; `nil` for none.
        public var proxy: HTTPProxy?
        /// How long making a connection may take, TLS and the first word of APNs included.
        public var connectTimeout = TimeAmount.seconds(10)
        /// After how long without a request a connection is replaced instead of trusted.
        ///
        /// Connections that rest for long have been seen to die without a word.
        public var idleLimit = TimeAmount.minutes(10)

        /// The defaults.
        public init() {}
    }

    let management: APIClient
    let sending: APIClient

    /// Makes a client; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - endpoints: Where APNs is reached.
    ///   - configuration: What may be different.
    ///   - eventLoopGroup: Where the connections live. It must outlive the client.
    /// - Throws: What NIOSSL throws when the trust roots cannot be read.
    public init(
        endpoints: BroadcastEndpoints,
        configuration: Configuration = Configuration(),
        eventLoopGroup: any EventLoopGroup
    ) throws {
        let tls = try NIOSSLContext(
            configuration: .apns(trusting: configuration.trustRoots, as: configuration.identity)
        )
        func client(_ endpoint: Endpoint) -> APIClient {
            APIClient(
                APIRoute(to: endpoint, through: configuration.proxy, timeout: configuration.connectTimeout),
                tls: tls,
                idleLimit: configuration.idleLimit,
                group: eventLoopGroup
            )
        }
        management = client(endpoints.management)
        sending = client(endpoints.sending)
    }

    /// Why the last connection for managing channels ended, if one has.
    public var lastManagementClosure: ConnectionClosure? { management.lastClosure }

    /// Why the last connection for broadcasts ended, if one has.
    public var lastSendingClosure: ConnectionClosure? { sending.lastClosure }

    /// Takes no more requests; those under way may finish.
    public func shutDown() {
        management.shutDown()
        sending.shutDown()
    }
}

extension TLSConfiguration {
    /// How a client of APNs greets: `h2` and nothing else, TLS 1.2 at least, a certificate where there is one.
    package static func apns(trusting roots: TrustRoots, as identity: ClientIdentity? = nil) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.applicationProtocols = ["h2"]
        tls.minimumTLSVersion = .tlsv12
        if case .file(let path) = roots { tls.trustRoots = .file(path) }
        identity?.present(in: &tls)
        return tls
    }
}
