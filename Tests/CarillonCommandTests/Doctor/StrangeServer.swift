import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// A server that is not what APNs is.
struct StrangeServer {
    let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(
        _ assemble: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) async throws -> StrangeServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try assemble(channel.pipeline.syncOperations) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return StrangeServer(channel: channel)
    }

    func stop() async throws {
        try await channel.close()
    }

    /// A certificate that signs itself, for `localhost`.
    struct Identity {
        let pem: String
        private let key = P256.Signing.PrivateKey()

        var keyPEM: String { key.pemRepresentation }

        /// `end` is when it expires, in seconds from now.
        init(end: TimeInterval = 86_400) throws {
            let name = try DistinguishedName { CommonName("Strange Root") }
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: .init(key.publicKey),
                notValidBefore: Date().addingTimeInterval(-864_000),
                notValidAfter: Date().addingTimeInterval(end),
                issuer: name,
                subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    SubjectAlternativeNames([.dnsName("localhost")])
                },
                issuerPrivateKey: .init(key)
            )
            pem = try certificate.serializeAsPEM().pemString
        }

        func context(speaking protocols: [String]) throws -> NIOSSLContext {
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
            )
            tls.applicationProtocols = protocols
            return try NIOSSLContext(configuration: tls)
        }
    }
}

/// Greets as a mail server does.
final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "220 mail.example.com\r\n")), promise: nil)
    }
}
