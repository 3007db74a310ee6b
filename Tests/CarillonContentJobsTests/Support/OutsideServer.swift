import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// A server of public data on loopback, whose answers a test sets.
final class OutsideServer: Sendable {
    struct Received: Sendable {
        var method: HTTPRequest.Method
        /// With the query.
        var path: String
        var headers: HTTPFields
        var body: String
    }

    typealias Answer = @Sendable (Received) -> Response

    private let received = NIOLockedValueBox<[Received]>([])
    private let answer = NIOLockedValueBox<Answer>({ _ in Response(status: .notFound) })

    var requests: [Received] { received.withLockedValue { $0 } }

    func set(_ answer: @escaping Answer) { self.answer.withLockedValue { $0 = answer } }

    /// Runs a test while it listens on a free port.
    func run(_ test: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
        let router = Router()
        for method in [HTTPRequest.Method.get, .post] {
            router.on("**", method: method) { [received, answer] request, _ in
                let body = try await request.body.collect(upTo: 1_000_000)
                let one = Received(
                    method: request.method,
                    path: request.uri.string,
                    headers: request.headers,
                    body: String(buffer: body)
                )
                received.withLockedValue { $0.append(one) }
                return answer.withLockedValue { $0 }(one)
            }
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await port in ports {
                try await test(port)
                break
            }
            group.cancelAll()
        }
    }
}

extension Response {
    init(text: String, _ fields: [HTTPField.Name: String] = [:], status: HTTPResponse.Status = .ok) {
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        self.init(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
