import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL

/// APNs' side over real TLS, with just enough of HTTP/2: it answers the end of a request by a script, whatever it said.
final class LoopbackServer: Sendable {
    /// What to do when a request has come in full.
    enum Reply: Sendable {
        case accept
        case refuse
        case answer(Int, String)
        /// Answers nothing until so many have come on the connection, then accepts them all.
        case gather(Int)
        /// Answers when ``LoopbackServer/release()`` is called.
        case hold
        case ignore
        case goAway(last: UInt32, reason: String)
        case hangUp
    }

    /// Decides by how many requests came before on this connection, and the connection's number, both from 0.
    typealias Script = @Sendable (_ request: Int, _ connection: Int) -> Reply

    /// One connection as the server saw it.
    struct Seen: Hashable, Sendable {
        var requests = 0
        /// The different values of `authorization`, in the order they came; empty text for none.
        var authorizations: [String] = []
        var hasCertificate = false
        /// The address that the client chose.
        var address = ""
        var isOver = false
    }

    let port: Int
    /// A PEM file with the certificate to trust.
    let certificatePath: String
    private let channel: any Channel
    private let seen: NIOLockedValueBox<[Seen]>
    private let releases: NIOLockedValueBox<[@Sendable () -> Void]>

    /// Listens at a port that is free; it asks for certificates when `clients` says whose it takes.
    static func start(
        on group: any EventLoopGroup,
        streams: UInt32 = 100,
        protocols: [String] = ["h2"],
        host: String = "127.0.0.1",
        clients: [NIOSSLCertificate] = [],
        script: @escaping Script = { _, _ in .accept }
    ) async throws -> LoopbackServer {
        let key = P256.Signing.PrivateKey()
        let certificate = try TestCertificate.make(key, name: "localhost", isAuthority: true)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString).pem")
            .path
        try certificate.pem.write(toFile: path, atomically: true, encoding: .utf8)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate.nio)],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
        )
        tls.applicationProtocols = protocols
        if !clients.isEmpty {
            tls.trustRoots = .certificates(clients)
            tls.certificateVerification = .noHostnameVerification
        }
        let context = try NIOSSLContext(configuration: tls)
        let seen = NIOLockedValueBox<[Seen]>([])
        let releases = NIOLockedValueBox<[@Sendable () -> Void]>([])
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let address = channel.localAddress?.ipAddress ?? ""
                    let number = seen.withLockedValue { seen in
                        seen.append(Seen(address: address))
                        return seen.count - 1
                    }
                    let handler = LoopbackHandler(streams, number, script) { change in
                        seen.withLockedValue { change(&$0[number]) }
                    }
                    try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), handler])
                    let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
                    releases.withLockedValue { releases in
                        releases.append { bound.eventLoop.execute { bound.value.release(on: channel) } }
                    }
                }
            }
            .bind(host: host, port: 0).get()
        return LoopbackServer(channel, path, seen, releases)
    }

    private init(
        _ channel: any Channel,
        _ certificatePath: String,
        _ seen: NIOLockedValueBox<[Seen]>,
        _ releases: NIOLockedValueBox<[@Sendable () -> Void]>
    ) {
        self.channel = channel
        self.releases = releases
        self.certificatePath = certificatePath
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    /// The connections, in the order they were made.
    var all: [Seen] { seen.withLockedValue { $0 } }
    /// How many connections were made.
    var connections: Int { all.count }
    /// How many requests came in full.
    var requests: Int { all.reduce(0) { $0 + $1.requests } }

    /// Answers what is held back, and from now on holds nothing back on these connections.
    func release() {
        for release in releases.withLockedValue({ $0 }) { release() }
    }

    func stop() async {
        try? await channel.close()
        try? FileManager.default.removeItem(atPath: certificatePath)
    }
}

/// Reads frames, and of header blocks only whose they are.
private final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let streams: UInt32
    private let connection: Int
    private let script: LoopbackServer.Script
    private let note: (@Sendable (inout LoopbackServer.Seen) -> Void) -> Void
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var gathered: [UInt32] = []
    private var held: [UInt32] = []
    private var isReleased = false
    private var unread = ByteBuffer()
    private var hasPreface = false
    private var request = 0

    init(
        _ streams: UInt32,
        _ connection: Int,
        _ script: @escaping LoopbackServer.Script,
        _ note: @escaping (@Sendable (inout LoopbackServer.Seen) -> Void) -> Void
    ) {
        self.streams = streams
        self.connection = connection
        self.script = script
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        var out = ByteBuffer()
        if !hasPreface {
            guard unread.readSlice(length: 24) != nil else { return }
            hasPreface = true
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if certificate != nil { note { $0.hasCertificate = true } }
            writeFrame(&out, 4, payload: [0, 3] + Self.bytes(streams))
            writeFrame(&out, 8, payload: Self.bytes(0x7000_0000))
        }
        while let head = unread.getInteger(at: unread.readerIndex, as: UInt32.self),
            unread.readableBytes >= 9 + Int(head >> 8)
        {
            unread.moveReaderIndex(forwardBy: 4)
            let flags = unread.readInteger(as: UInt8.self) ?? 0
            let stream = unread.readInteger(as: UInt32.self) ?? 0
            let payload = unread.readSlice(length: Int(head >> 8)) ?? ByteBuffer()
            if head & 255 == 1 { readHeaders(payload) }
            if head & 255 == 4, flags == 0 { writeFrame(&out, 4, flags: 1) }
            if head & 255 == 6, flags == 0 { writeFrame(&out, 6, flags: 1, payload: Array(repeating: 0, count: 8)) }
            if head & 255 == 0, flags & 1 != 0 { reply(to: stream, &out, context) }
        }
        unread.discardReadBytes()
        context.writeAndFlush(wrapOutboundOut(out), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        note { $0.isOver = true }
    }

    func release(on channel: any Channel) {
        isReleased = true
        var out = ByteBuffer()
        for stream in held { writeFrame(&out, 1, flags: 5, stream: stream, payload: [0x88]) }
        held = []
        channel.writeAndFlush(out, promise: nil)
    }

    private func readHeaders(_ block: ByteBuffer) {
        var block = block
        guard let headers = try? decoder.decodeHeaders(from: &block) else {
            return note { $0.authorizations.append("?") }
        }
        let value = headers.first(name: "authorization") ?? ""
        note { if $0.authorizations.last != value { $0.authorizations.append(value) } }
    }

    private func reply(to stream: UInt32, _ out: inout ByteBuffer, _ context: ChannelHandlerContext) {
        note { $0.requests += 1 }
        defer { request += 1 }
        switch script(request, connection) {
        case .accept: writeFrame(&out, 1, flags: 5, stream: stream, payload: [0x88])
        case .refuse: refuse(stream, 400, "BadDeviceToken", &out)
        case .answer(let status, let reason): refuse(stream, status, reason, &out)
        case .gather(let count):
            gathered.append(stream)
            guard gathered.count == count else { return }
            for stream in gathered { writeFrame(&out, 1, flags: 5, stream: stream, payload: [0x88]) }
        case .hold where isReleased: writeFrame(&out, 1, flags: 5, stream: stream, payload: [0x88])
        case .hold: held.append(stream)
        case .ignore: break
        case .goAway(let last, let reason):
            let text = reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#
            writeFrame(&out, 7, payload: Self.bytes(last) + Self.bytes(0) + Array(text.utf8))
        case .hangUp: context.close(promise: nil)
        }
    }

    private func refuse(_ stream: UInt32, _ status: Int, _ reason: String, _ out: inout ByteBuffer) {
        // A literal without indexing, its name the eighth of the static table, `:status`.
        writeFrame(&out, 1, flags: 4, stream: stream, payload: [0x08, 0x03] + Array(String(status).utf8))
        writeFrame(&out, 0, flags: 1, stream: stream, payload: Array(#"{"reason":"\#(reason)"}"#.utf8))
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
