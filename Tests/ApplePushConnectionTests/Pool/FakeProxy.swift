import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// A proxy that makes tunnels, or does not, as a test tells it.
final class FakeProxy: Sendable {
    /// What it does with a request.
    enum Reply: Sendable {
        case tunnel
        /// Bytes in place of an answer; the connection stays open.
        case say(String)
        case hangUp
    }

    /// What it was asked.
    struct Question: Hashable, Sendable {
        var method: String
        var target: String
        var authorization: String?
        var host: String?
    }

    let port: Int
    private let channel: any Channel
    private let asked: NIOLockedValueBox<[Question]>

    static func start(
        on group: any EventLoopGroup,
        _ reply: @escaping @Sendable (Question) -> Reply
    ) async throws -> FakeProxy {
        let asked = NIOLockedValueBox<[Question]>([])
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                    let handler = FakeProxyHandler(decoder) { question in
                        asked.withLockedValue { $0.append(question) }
                        return reply(question)
                    }
                    try channel.pipeline.syncOperations.addHandlers([decoder, handler])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FakeProxy(channel, asked)
    }

    private init(_ channel: any Channel, _ asked: NIOLockedValueBox<[Question]>) {
        self.channel = channel
        self.asked = asked
        port = channel.localAddress?.port ?? 0
    }

    var questions: [Question] { asked.withLockedValue { $0 } }

    func stop() async {
        try? await channel.close()
    }
}

private final class FakeProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let reply: (FakeProxy.Question) -> FakeProxy.Reply

    init(
        _ decoder: ByteToMessageHandler<HTTPRequestDecoder>,
        _ reply: @escaping (FakeProxy.Question) -> FakeProxy.Reply
    ) {
        self.decoder = decoder
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let question = FakeProxy.Question(
            method: head.method.rawValue,
            target: head.uri,
            authorization: head.headers.first(name: "proxy-authorization"),
            host: head.headers.first(name: "host")
        )
        switch reply(question) {
        case .hangUp: context.close(promise: nil)
        case .say(let text): say(text, context)
        case .tunnel: tunnel(to: head.uri, context)
        }
    }

    private func say(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    private func tunnel(to target: String, _ context: ChannelHandlerContext) {
        let port = Int(target.split(separator: ":").last ?? "") ?? 0
        let front = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { back in
                back.eventLoop.makeCompletedFuture { try back.pipeline.syncOperations.addHandler(Relay(to: front)) }
            }
            .connect(host: "127.0.0.1", port: port)
            .flatMap { back in
                let (handler, context) = bound.value
                let pipeline = context.pipeline.syncOperations
                handler.say("HTTP/1.1 200 Connection established\r\n\r\n", context)
                return pipeline.removeHandler(handler.decoder)
                    .flatMap { bound.value.1.pipeline.syncOperations.removeHandler(bound.value.0) }
                    .flatMapThrowing { try front.pipeline.syncOperations.addHandler(Relay(to: back)) }
            }
            .whenFailure { _ in front.close(promise: nil) }
    }
}

private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
    }
}
