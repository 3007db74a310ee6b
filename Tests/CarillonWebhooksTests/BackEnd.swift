import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// A customer's back end on loopback.
final class BackEnd: Sendable {
    struct Received: Sendable {
        var headers: HTTPFields
        var body: [UInt8]
    }

    private let received = NIOLockedValueBox<[Received]>([])

    var requests: [Received] { received.withLockedValue { $0 } }

    /// Runs a test while it listens on a free port.
    func run(
        _ answer: @escaping @Sendable () -> Response = { Response(status: .noContent) },
        _ test: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let router = Router()
        router.post("hook") { [received] request, _ in
            let body = try await request.body.collect(upTo: 1_000_000)
            received.withLockedValue {
                $0.append(Received(headers: request.headers, body: Array(body.readableBytesView)))
            }
            return answer()
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
