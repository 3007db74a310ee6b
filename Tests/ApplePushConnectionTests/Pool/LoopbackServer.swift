import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// APNs' side over real TLS, with just enough of HTTP/2: it answers the end of a request by a script, whatever it said.
final class LoopbackServer: Sendable {
    /// What to do when a request has come in full.
    enum Reply: Sendable {
        case accept
        case refuse
        case ignore
        case goAway(last: UInt32, reason: String)
        case hangUp
    }

    /// Decides by how many requests came before on this connection, and the connection's number, both from 0.
    typealias Script = @Sendable (_ request: Int, _ connection: Int) -> Reply

    private struct Counts {
        var connections = 0
        var requests = 0
    }

    let port: Int
    /// A PEM file with the certificate to trust.
    let certificatePath: String
    private let channel: any Channel
    private let counts = NIOLockedValueBox(Counts())

    static func start(
        on group: any EventLoopGroup,
        streams: UInt32 = 100,
        protocols: [String] = ["h2"],
        script: @escaping Script = { _, _ in .accept }
    ) async throws -> LoopbackServer {
        try await LoopbackServer(group, streams, protocols, script)
    }

    private init(
        _ group: any EventLoopGroup,
        _ streams: UInt32,
        _ protocols: [String],
        _ script: @escaping Script
    ) async throws {
        let key = P256.Signing.PrivateKey()
        let certificate = try Self.certificate(key).serializeAsPEM().pemString
        certificatePath =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-\(UUID().uuidString).pem").path
        try certificate.write(toFile: certificatePath, atomically: true, encoding: .utf8)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
        )
        tls.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: tls)
        let counts = counts
        channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = counts.withLockedValue { counts in
                        defer { counts.connections += 1 }
                        return counts.connections
                    }
                    let handler = LoopbackHandler(streams, number, script) {
                        counts.withLockedValue { $0.requests += 1 }
                    }
                    try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), handler])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// How many connections were made.
    var connections: Int { counts.withLockedValue { $0.connections } }
    /// How many requests came in full.
    var requests: Int { counts.withLockedValue { $0.requests } }

    func stop() async {
        try? await channel.close()
        try? FileManager.default.removeItem(atPath: certificatePath)
    }

    static func certificate(_ key: P256.Signing.PrivateKey) throws -> Certificate {
        let name = try DistinguishedName { CommonName("localhost") }
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date().addingTimeInterval(-86_400),
            notValidAfter: Date().addingTimeInterval(86_400),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: .init(key)
        )
    }
}

/// Reads frames without looking into header blocks.
private final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let streams: UInt32
    private let connection: Int
    private let script: LoopbackServer.Script
    private let count: () -> Void
    private var unread = ByteBuffer()
    private var hasPreface = false
    private var request = 0

    init(
        _ streams: UInt32,
        _ connection: Int,
        _ script: @escaping LoopbackServer.Script,
        _ count: @escaping () -> Void
    ) {
        self.streams = streams
        self.connection = connection
        self.script = script
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        var out = ByteBuffer()
        if !hasPreface {
            guard unread.readSlice(length: 24) != nil else { return }
            hasPreface = true
            writeFrame(&out, 4, payload: [0, 3] + Self.bytes(streams))
            writeFrame(&out, 8, payload: Self.bytes(0x7000_0000))
        }
        while let head = unread.getInteger(at: unread.readerIndex, as: UInt32.self),
            unread.readableBytes >= 9 + Int(head >> 8)
        {
            unread.moveReaderIndex(forwardBy: 4)
            let flags = unread.readInteger(as: UInt8.self) ?? 0
            let stream = unread.readInteger(as: UInt32.self) ?? 0
            unread.moveReaderIndex(forwardBy: Int(head >> 8))
            if head & 255 == 4, flags == 0 { writeFrame(&out, 4, flags: 1) }
            if head & 255 == 6, flags == 0 { writeFrame(&out, 6, flags: 1, payload: Array(repeating: 0, count: 8)) }
            if head & 255 == 0, flags & 1 != 0 { reply(to: stream, &out, context) }
        }
        unread.discardReadBytes()
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
    }

    private func reply(to stream: UInt32, _ out: inout ByteBuffer, _ context: ChannelHandlerContext) {
        count()
        defer { request += 1 }
        switch script(request, connection) {
        case .accept: writeFrame(&out, 1, flags: 5, stream: stream, payload: [0x88])
        case .refuse:
            writeFrame(&out, 1, flags: 4, stream: stream, payload: [0x8C])
            writeFrame(&out, 0, flags: 1, stream: stream, payload: Array(#"{"reason":"BadDeviceToken"}"#.utf8))
        case .ignore: break
        case .goAway(let last, let reason):
            let text = reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#
            writeFrame(&out, 7, payload: Self.bytes(last) + Self.bytes(0) + Array(text.utf8))
        case .hangUp: context.close(promise: nil)
        }
    }

    private func writeFrame(
        _ out: inout ByteBuffer,
        _ kind: UInt8,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        payload: [UInt8] = []
    ) {
        out.writeInteger(UInt32(payload.count) << 8 | UInt32(kind))
        out.writeInteger(flags)
        out.writeInteger(stream)
        out.writeBytes(payload)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
