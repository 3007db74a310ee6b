import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A server that records requests and gives prepared responses.
final class StubAPI: Sendable {
    struct Request: Hashable, Sendable {
        var method: String
        var path: String
        var query: String
        var body: String
    }

    /// A response, written as it is; the connection closes after it.
    struct Response: Sendable {
        var status = 200
        var type = "application/json"
        var body: String
        /// The length that is announced; another one than the body's breaks the response off.
        var length: Int?
        /// Header fields, each ended by CRLF.
        var header = ""
    }

    private let requests = NIOLockedValueBox<[Request]>([])
    private let respond: @Sendable (Request) -> Response

    private init(_ respond: @escaping @Sendable (Request) -> Response) { self.respond = respond }

    /// Starts a server on a free port of this machine for a test.
    static func run<Result>(
        _ respond: @escaping @Sendable (Request) -> Response,
        _ body: (StubAPI, _ address: String) async throws -> Result
    ) async throws -> Result {
        let stub = StubAPI(respond)
        let server = try await StrangeServer.start { try $0.addHandler(Handler(stub: stub)) }
        let result = try await body(stub, "http://127.0.0.1:\(server.port)")
        try await server.stop()
        return result
    }

    var recorded: [Request] { requests.withLockedValue { $0 } }

    fileprivate func answer(_ request: Request) -> Response {
        requests.withLockedValue { $0.append(request) }
        return respond(request)
    }

    /// Reads one request: its header, then as many bytes as it announces.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let stub: StubAPI
        private var received: [UInt8] = []
        private var isDone = false

        init(stub: StubAPI) { self.stub = stub }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += Array(unwrapInboundIn(data).readableBytesView)
            let text = String(decoding: received, as: UTF8.self)
            guard !isDone, let end = text.range(of: "\r\n\r\n") else { return }
            let head = text[..<end.lowerBound].components(separatedBy: "\r\n")
            let length = head.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
            let body = text[end.upperBound...]
            guard body.utf8.count >= length ?? 0 else { return }
            isDone = true
            let line = head[0].split(separator: " ").map(String.init)
            let target = line[1].split(separator: "?", maxSplits: 1).map(String.init)
            write(
                stub.answer(
                    Request(
                        method: line[0],
                        path: target[0],
                        query: target.count > 1 ? target[1] : "",
                        body: String(body)
                    )
                ),
                context
            )
        }

        private func write(_ response: Response, _ context: ChannelHandlerContext) {
            let length = response.length ?? response.body.utf8.count
            let head =
                "HTTP/1.1 \(response.status) X\r\nContent-Type: \(response.type)\r\nContent-Length: \(length)\r\n"
                + response.header + "Connection: close\r\n\r\n"
            let done = context.eventLoop.makePromise(of: Void.self)
            done.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head + response.body)), promise: done)
        }
    }
}
