import ApplePushConnection
import Crypto
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// A server's certificate chain, before it is verified.
struct ServerChain: Sendable {
    /// The issuer of the server's last certificate; `nil` when it sent none.
    ///
    /// That is the root, whether the server sends the root or not.
    var end: String?

    /// Reads a server's certificates and closes: nothing is sent but the TLS handshake.
    ///
    /// - Throws: `APIConnection.Problem` when there is no connection. A server without TLS has no chain.
    static func look(along route: APIRoute, on eventLoop: any EventLoop) async throws -> Self {
        let seen = NIOLockedValueBox<[NIOSSLCertificate]>([])
        let context = try NIOSSLContext(configuration: .apns(trusting: .system))
        let channel = try await route.connect(on: eventLoop) { channel in
            let handler = try NIOSSLClientHandler(
                context: context,
                serverHostname: route.serverHostname,
                customVerificationCallback: { certificates, promise in
                    seen.withLockedValue { $0 = certificates }
                    // Always fails the handshake: trust is verified on another connection.
                    promise.succeed(.failed)
                }
            )
            try channel.pipeline.syncOperations.addHandlers([handler, LookHandler()])
        }.get()
        let limit = channel.eventLoop.scheduleTask(in: route.timeout) { channel.close(promise: nil) }
        try? await channel.closeFuture.get()
        limit.cancel()
        return ServerChain(end: seen.withLockedValue { $0.last }.flatMap(Self.issuer))
    }

    private static func issuer(of certificate: NIOSSLCertificate) -> String? {
        guard let bytes = try? certificate.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes) else {
            return nil
        }
        return name(parsed.issuer)
    }

    /// The common name, or the whole name without one; printable, and short.
    private static func name(_ name: DistinguishedName) -> String {
        let common = name.lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
        let text = common.map { String(describing: $0.value) } ?? String(describing: name)
        return String(
            text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init).prefix(120)
        )
    }
}

/// Closes the channel when TLS has failed, as it always does.
private final class LookHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
