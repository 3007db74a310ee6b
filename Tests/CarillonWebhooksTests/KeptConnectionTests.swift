import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import CarillonWebhooks

/// The connections that posts use.
@Suite(.timeLimit(.minutes(5)))
struct KeptConnectionTests {
    @Test("Posts to one name at one address share a connection") func sharesConnections() async throws {
        let listener = try await Listener(answersPerConnection: 1_000)
        let client = HTTPWebhookClient(options: Self.options, resolver: Addresses([[[127, 0, 0, 1]]]))

        for _ in 0..<20 {
            #expect(await client.post(Self.post(listener.port)) == .answered(status: 204, retryAfter: nil))
        }

        #expect(listener.connectionCount == 1)
        try await listener.close()
    }

    @Test("A connection that the address closed is replaced, and the post is answered")
    func replacesConnections() async throws {
        let listener = try await Listener(answersPerConnection: 2)
        let client = HTTPWebhookClient(options: Self.options, resolver: Addresses([[[127, 0, 0, 1]]]))

        for _ in 0..<10 {
            #expect(await client.post(Self.post(listener.port)) == .answered(status: 204, retryAfter: nil))
        }

        #expect(listener.connectionCount >= 5)
        try await listener.close()
    }

    @Test("A name is resolved before each post, even while a connection to its former address is open")
    func resolvesBeforeEachPost() async throws {
        let listener = try await Listener(answersPerConnection: 1_000)
        // Nothing listens at the second address.
        let resolver = Addresses([[[127, 0, 0, 1]], [[127, 0, 0, 9]], [[127, 0, 0, 1]]])
        let client = HTTPWebhookClient(options: Self.options, resolver: resolver)

        #expect(await client.post(Self.post(listener.port)) == .answered(status: 204, retryAfter: nil))
        guard case .failed = await client.post(Self.post(listener.port)) else {
            Issue.record("The post went to the former address.")
            return
        }
        #expect(await client.post(Self.post(listener.port)) == .answered(status: 204, retryAfter: nil))

        #expect(listener.connectionCount == 1)
        try await listener.close()
    }

    @Test("More names than the limit each get a connection, and closed ones are reopened")
    func limitsConnections() async throws {
        let listener = try await Listener(answersPerConnection: 1_000)
        var options = Self.options
        options.keptClients = 2
        let client = HTTPWebhookClient(options: options, resolver: Addresses([[[127, 0, 0, 1]]]))

        for name in ["a", "b", "c", "a", "a"] {
            #expect(await client.post(Self.post(listener.port, name)) == .answered(status: 204, retryAfter: nil))
        }

        #expect(listener.connectionCount == 4)
        try await listener.close()
    }

    private static var options: HTTPWebhookClient.Options {
        var options = HTTPWebhookClient.Options()
        options.allowsLocal = true
        return options
    }

    private static func post(_ port: Int, _ name: String = "hook") -> WebhookPost {
        WebhookPost(
            app: AppID(rawValue: 1),
            url: "http://\(name).example.test:\(port)/hook",
            id: "1",
            timestamp: Timestamp(rawValue: 1_700_000_000_000),
            signature: "v1,x",
            body: Array("{}".utf8)
        )
    }
}

/// Returns one answer after another, and then repeats the last.
private final class Addresses: HostResolver {
    private let answers: NIOLockedValueBox<[[[UInt8]]]>

    init(_ answers: [[[UInt8]]]) { self.answers = NIOLockedValueBox(answers) }

    func addresses(of host: String, for app: AppID) async -> [[UInt8]] {
        answers.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    }
}

/// Listens on a free port, counts connections and answers 204 a number of times on each.
private final class Listener: Sendable {
    let port: Int
    private let channel: any Channel
    private let count: NIOLockedValueBox<Int>

    init(answersPerConnection: Int) async throws {
        let count = NIOLockedValueBox(0)
        self.count = count
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.withLockedValue { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answerer(count: answersPerConnection))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var connectionCount: Int { count.withLockedValue { $0 } }

    func close() async throws { try await channel.close() }
}

/// Answers, and closes silently after a number of answers.
private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var rest: Int
    private var request = ""

    init(count: Int) { rest = count }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += String(buffer: unwrapInboundIn(data))
        guard request.hasSuffix("{}") else { return }
        request = ""
        guard rest > 0 else { return context.close(promise: nil) }
        rest -= 1
        let answer = context.channel.allocator.buffer(string: "HTTP/1.1 204 No Content\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
