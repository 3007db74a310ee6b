import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

@testable import ApplePushConnection

/// A server that swift-nio-http2 speaks for: notes what comes and answers by a script.
final class ChannelServer: Sendable {
    struct Request: Hashable, Sendable {
        var fields: HPACKHeaders
        var body: String

        func field(_ name: String) -> String? { fields.first(name: name) }
    }

    enum Reply: Sendable {
        case answer(Int, fields: [(String, String)] = [], body: String = "")
        case reset(HTTP2ErrorCode)
        /// Says with GOAWAY that this request and all later ones are not processed, then closes.
        case goAway(reason: String)
        case hangUp
        case ignore
    }

    /// Decides by how many requests came before, on all connections, from 0.
    typealias Script = @Sendable (_ request: Request, _ number: Int) -> Reply

    private struct Seen {
        var connections = 0
        var requests: [Request] = []
        var resets: [HTTP2ErrorCode] = []
        var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    let port: Int
    let certificatePath: String
    private let channel: any Channel
    private let seen: NIOLockedValueBox<Seen>

    static func start(
        on group: any EventLoopGroup,
        streams: Int = 100,
        protocols: [String] = ["h2"],
        script: @escaping Script
    ) async throws -> ChannelServer {
        let key = P256.Signing.PrivateKey()
        let pem = try TestCertificate.make(key, name: "localhost", isAuthority: true).pem
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString).pem")
            .path
        try pem.write(toFile: path, atomically: true, encoding: .utf8)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
        )
        tls.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: tls)
        let seen = NIOLockedValueBox(Seen())
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    seen.withLockedValue { $0.connections += 1 }
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
                    configuration.initialSettings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: streams)]
                    let handler = NIOHTTP2Handler(
                        mode: .server,
                        eventLoop: channel.eventLoop,
                        connectionConfiguration: configuration
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(ChannelServerHandler(seen, script))
                        }
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ChannelServer(channel, path, seen)
    }

    private init(_ channel: any Channel, _ certificatePath: String, _ seen: NIOLockedValueBox<Seen>) {
        self.channel = channel
        self.certificatePath = certificatePath
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    var connections: Int { seen.withLockedValue { $0.connections } }
    var requests: [Request] { seen.withLockedValue { $0.requests } }
    var resets: [HTTP2ErrorCode] { seen.withLockedValue { $0.resets } }

    /// Waits until so many requests have come in full.
    func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = seen.withLockedValue { seen in
                if seen.requests.count < count { seen.waiters.append((count, continuation)) }
                return seen.requests.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    func stop() async {
        try? await channel.close()
        try? FileManager.default.removeItem(atPath: certificatePath)
    }

    private final class ChannelServerHandler: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let seen: NIOLockedValueBox<Seen>
        private let script: Script
        private var request = Request(fields: [:], body: "")

        init(_ seen: NIOLockedValueBox<Seen>, _ script: @escaping Script) {
            self.seen = seen
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .headers(let content):
                request.fields = content.headers
                if content.endStream { reply(context) }
            case .data(let content):
                if case .byteBuffer(let bytes) = content.data { request.body += String(buffer: bytes) }
                if content.endStream { reply(context) }
            case .rstStream(let code): seen.withLockedValue { $0.resets.append(code) }
            default: break
            }
        }

        private func reply(_ context: ChannelHandlerContext) {
            let (number, waiters) = seen.withLockedValue { seen in
                seen.requests.append(request)
                let count = seen.requests.count
                let waiters = seen.waiters.filter { $0.0 <= count }.map(\.1)
                seen.waiters.removeAll { $0.0 <= count }
                return (count - 1, waiters)
            }
            carryOut(script(request, number), context)
            for waiter in waiters { waiter.resume() }
        }

        private func carryOut(_ reply: Reply, _ context: ChannelHandlerContext) {
            switch reply {
            case .answer(let status, let fields, let body):
                var headers: HPACKHeaders = [":status": String(status)]
                for (name, value) in fields { headers.add(name: name, value: value) }
                context.write(wrapOutboundOut(.headers(.init(headers: headers, endStream: body.isEmpty))), promise: nil)
                if !body.isEmpty {
                    let bytes = ByteBuffer(string: body)
                    context.write(
                        wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: true))),
                        promise: nil
                    )
                }
                context.flush()
            case .reset(let code): context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
            case .goAway(let reason):
                let debug = ByteBuffer(string: #"{"reason":"\#(reason)"}"#)
                let frame = HTTP2Frame(
                    streamID: .rootStream,
                    payload: .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: debug)
                )
                let parent = context.channel.parent
                parent?.writeAndFlush(frame).whenComplete { _ in parent?.close(promise: nil) }
            case .hangUp: context.channel.parent?.close(promise: nil)
            case .ignore: break
            }
        }
    }
}
