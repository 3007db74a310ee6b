import ApplePush
import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import ApplePushConnection

/// The whole way: pool, connection, TLS, and a server on the loopback.
struct ConnectionPoolTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func pool(
        _ server: LoopbackServer,
        host: String = "localhost",
        logger: Logger? = nil,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        configuration.firstBackoff = .milliseconds(10)
        configuration.jitter = { 0.5 }
        change(&configuration)
        return try ConnectionPool(
            endpoint: Endpoint(host: host, port: server.port),
            configuration: configuration,
            eventLoopGroup: group,
            logger: logger
        )
    }

    private func deadline(_ amount: TimeAmount = .seconds(120)) -> NIODeadline { .now() + amount }

    @Test("P-01 P-22 a batch is sent over TLS and HTTP/2, with outcomes in order")
    func batch() async throws {
        let server = try await LoopbackServer.start(on: group) { request, _ in
            request.isMultiple(of: 10) ? .refuse : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }

        let outcomes = await pool.send(Sample.batch(2000), token: Sample.token, deadline: deadline())

        let refused = Outcome.rejected(Rejection(.badDeviceToken, status: 400))
        #expect(outcomes == (0..<2000).map { $0.isMultiple(of: 10) ? refused : accepted })
        #expect(server.requests == 2000 && server.connections == 1)
        await pool.shutDown()
        #expect(pool.status.connections == 0)
        await server.stop()
    }

    @Test("P-01 a server that is not trusted, or has another name, gets nothing")
    func trust() async throws {
        let server = try await LoopbackServer.start(on: group)
        for (host, roots) in [("localhost", TrustRoots.system), ("127.0.0.1", .file(server.certificatePath))] {
            let ends = ConnectionEnds()
            let pool = try pool(server, host: host, logger: ends.logger) { $0.trustRoots = roots }
            #expect(await ends.sendUntilFirst(2, over: pool) == Array(repeating: .notSent(.cancelled), count: 2))
            #expect(pool.status.lastClosure?.cause == .connectFailed)
            await pool.shutDown()
        }
        #expect(server.requests == 0)
        await server.stop()
    }

    @Test("P-01 a server without h2 gets nothing")
    func alpn() async throws {
        let server = try await LoopbackServer.start(on: group, protocols: ["http/1.1"])
        let ends = ConnectionEnds()
        let pool = try pool(server, logger: ends.logger)
        #expect(await ends.sendUntilFirst(1, over: pool) == [.notSent(.cancelled)])
        #expect(pool.status.lastClosure?.cause == .notHTTP2)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-06 notifications that a closing connection has not sent use another")
    func goAway() async throws {
        let server = try await LoopbackServer.start(on: group) { request, connection in
            connection < 3 && request == 50 ? .goAway(last: 99, reason: "Shutdown") : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }
        let outcomes = await pool.send(Sample.batch(500), token: Sample.token, deadline: deadline())

        // Streams 1 to 99 are the first fifty; each was answered before the goodbye.
        #expect(outcomes == Array(repeating: accepted, count: 500))
        #expect(server.connections == 4)
        #expect(pool.status.lastClosure?.reason == .shutdown)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-07 a GOAWAY because of credentials is reported at once, and not retried")
    func credentials() async throws {
        let server = try await LoopbackServer.start(on: group) { _, _ in
            .goAway(last: 0, reason: "BadCertificateEnvironment")
        }
        let pool = try pool(server) { $0.firstBackoff = .seconds(60) }
        let outcomes = await pool.send(Sample.batch(3), token: nil, deadline: deadline())
        #expect(outcomes.allSatisfy { $0 == .notSent(.noConnection) })
        #expect(pool.status.lastClosure?.reason == .badCertificateEnvironment && server.connections == 1)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-28 a lost connection leaves sent ones unknown and sends the others elsewhere")
    func hangUp() async throws {
        let server = try await LoopbackServer.start(on: group, streams: 10) { request, connection in
            connection == 0 && request == 5 ? .hangUp : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }
        let outcomes = await pool.send(Sample.batch(100), token: nil, deadline: deadline())
        let unknown = outcomes.count { $0 == .unknown(.connectionLost) }
        #expect((1...10).contains(unknown) && outcomes.count { $0 == accepted } == 100 - unknown)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-09 a server that answers nothing is detected, and calls end")
    func blackHole() async throws {
        let server = try await LoopbackServer.start(on: group) { _, _ in .ignore }
        let pool = try pool(server)
        let outcomes = await pool.send(Sample.batch(3), token: nil, deadline: deadline(.seconds(3)))
        #expect(outcomes.count { $0 == .unknown(.deadlinePassed) } == 1)
        #expect(outcomes.count { $0 == .notSent(.deadlinePassed) } == 2)
        await pool.shutDown(within: .milliseconds(50))
        await server.stop()
    }

    @Test("P-37 cancelling the task ends the wait")
    func cancellation() async throws {
        let server = try await LoopbackServer.start(on: group) { _, _ in .ignore }
        let pool = try pool(server)
        let deadline = deadline()
        let task = Task { await pool.send(Sample.batch(3), token: nil, deadline: deadline) }
        task.cancel()
        let outcomes = await task.value
        #expect(outcomes.count == 3 && outcomes.allSatisfy { $0 != accepted })
        await pool.shutDown(within: .milliseconds(50))
        await server.stop()
    }

    @Test("P-12 P-29 many callers share a few connections")
    func manyCallers() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server) { $0.maximumConnections = 3 }
        let deadline = deadline()
        let all = await withTaskGroup(of: [Outcome].self) { tasks in
            for _ in 0..<200 {
                tasks.addTask { await pool.send(Sample.batch(20), token: Sample.token, deadline: deadline) }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(all == Array(repeating: accepted, count: 4000))
        #expect((1...3).contains(server.connections) && server.requests == 4000)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-24 P-28 single notifications, each with its own outcome, share the connections")
    func single() async throws {
        let server = try await LoopbackServer.start(on: group) { request, _ in request == 1 ? .refuse : .accept }
        let pool = try pool(server)
        let payload = try EncodedPayload(bytes: Array(#"{"aps":{}}"#.utf8), limit: 4096)
        let device = try #require(APNsDeviceToken(hex: "00ff"))
        let notification = PushNotification(payload, to: device, headers: Sample.headers)

        #expect(try await pool.send(notification, token: Sample.token, deadline: deadline()) == accepted)
        let second = try await pool.send(notification, token: Sample.token, deadline: deadline())
        #expect(second == .rejected(Rejection(.badDeviceToken, status: 400)))
        let unfilled = try EncodedPayload(bytes: payload.bytes, slot: 2..<4, limit: 4096)
        await #expect(throws: PushBatch.Problem.unequalColumns) {
            let notification = PushNotification(unfilled, to: device, headers: Sample.headers)
            _ = try await pool.send(notification, token: nil, deadline: deadline())
        }
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-14 after a shutdown nothing is accepted")
    func shutDown() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server)
        await pool.shutDown()
        await pool.shutDown()
        let outcomes = await pool.send(Sample.batch(2), token: nil, deadline: deadline())
        #expect(outcomes == [.notSent(.shutDown), .notSent(.shutDown)])
        await server.stop()
    }

    @Test("P-36 a full queue returns notifications as queueFull")
    func fullQueue() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server) { $0.maximumWaiting = 10 }
        let outcomes = await pool.send(Sample.batch(11), token: nil, deadline: deadline())
        #expect(outcomes == Array(repeating: .notSent(.queueFull), count: 11))
        await pool.shutDown()
        await server.stop()
    }

    @Test(
        "P-36 while APNs does not answer, the pool holds at most its queue; the rest waits in its callers",
        .timeLimit(.minutes(2))
    )
    func unanswered() async throws {
        let server = try await LoopbackServer.start(on: group, streams: 10) { request, _ in
            request == 0 ? .accept : .hold
        }
        let pool = try pool(server) {
            $0.maximumConnections = 1
            $0.maximumWaiting = 100
        }
        let deadline = deadline()
        let outcomes = await withTaskGroup(of: [Outcome].self) { tasks in
            for _ in 0..<50 {
                tasks.addTask { await pool.send(Sample.batch(50), token: nil, deadline: deadline, whenFull: .wait) }
            }
            // One is answered, which opens all streams; then as many as APNs allows are held, and the queue is full.
            while server.requests < 11 || pool.status.waiting == 0, !Task.isCancelled { await Task.yield() }
            for _ in 0..<1_000 {
                let status = pool.status
                #expect(pool.state.withLockedValue { $0.machine.waitingCount } <= 100)
                #expect(server.requests == 11 && status.connections == 1)
                await Task.yield()
            }
            server.release()
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes == Array(repeating: accepted, count: 2500))
        await pool.shutDown()
        await server.stop()
    }

    @Test(
        "P-47 as many are in flight as streams and connections allow",
        .timeLimit(.minutes(2)),
        arguments: [(1, 10), (1, 100), (3, 10), (3, 100)]
    )
    func concurrency(connections: Int, streams: Int) async throws {
        let server = try await LoopbackServer.start(on: group, streams: UInt32(streams)) { request, _ in
            request == 0 ? .accept : .hold
        }
        let pool = try pool(server) { $0.maximumConnections = connections }
        let deadline = deadline()
        let sending = Task { await pool.send(Sample.batch(8000), token: nil, deadline: deadline) }
        // The first of each is answered, which opens its streams, and the others hold on.
        let all = connections * (streams + 1)
        while server.requests < all, !Task.isCancelled { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(server.all.map(\.requests) == Array(repeating: streams + 1, count: connections))
        server.release()
        #expect(await sending.value == Array(repeating: accepted, count: 8000))
        await pool.shutDown()
        await server.stop()
    }
}
