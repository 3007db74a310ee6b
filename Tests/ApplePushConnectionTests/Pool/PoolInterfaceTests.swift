import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// The two public interfaces, batch and single notification, as their documentation shows them.
struct PoolInterfaceTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func pool(
        _ server: LoopbackServer,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        change(&configuration)
        return try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: server.port),
            configuration: configuration,
            eventLoopGroup: group
        )
    }

    private func message() throws -> PushRequest {
        let app = try #require(BundleID(rawValue: "com.example.app"))
        return try AlertMessage(title: "Tonight at eight", body: "The carillon plays.").request(for: app)
    }

    private func device(_ number: UInt8) throws -> APNsDeviceToken {
        try #require(APNsDeviceToken(bytes: Array(repeating: number, count: 32)))
    }

    @Test("P-28 a message is sent to one device and to many, as the documentation shows")
    func documented() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pool = try pool(server)
        let (message, token) = (try message(), Sample.token)

        let outcome = try await pool.send(
            PushNotification(message, to: try device(1)),
            token: token,
            deadline: .now() + .seconds(120)
        )
        #expect(outcome == accepted)
        let devices = try (0..<200).map { try device($0) }
        let batch = try PushBatch(message, to: devices, ids: devices.map { _ in UUID() })
        let outcomes = await pool.send(batch, token: token, deadline: .now() + .seconds(120), whenFull: .wait)
        #expect(outcomes == Array(repeating: accepted, count: 200))
        #expect(throws: PushBatch.Problem.unequalColumns) { try PushBatch(message, to: devices, ids: []) }
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-37 a single notification has a deadline, and cancelling its task ends its wait and frees its stream")
    func singleDeadlineAndCancellation() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start(on: group, streams: 1) { request, _ in
            signal.yield()
            return request == 0 ? .accept : request < 3 ? .ignore : .accept
        }
        let pool = try pool(server) { $0.maximumConnections = 1 }
        let message = try message()
        let notification = PushNotification(message, to: try device(1))
        #expect(try await pool.send(notification, token: nil, deadline: .now() + .seconds(120)) == accepted)
        let late = try await pool.send(notification, token: nil, deadline: .now() + .seconds(3))
        #expect(late == .unknown(.deadlinePassed))

        var iterator = asked.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }
        let cancelled = Task { try await pool.send(notification, token: nil, deadline: .now() + .seconds(120)) }
        await iterator.next()
        cancelled.cancel()
        #expect(try await cancelled.value == .unknown(.cancelled))
        // The only stream there is was freed, so that the next one can be opened.
        #expect(try await pool.send(notification, token: nil, deadline: .now() + .seconds(120)) == accepted)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-36 a single notification is returned when the queue is full, or waits for room")
    func singleBackPressure() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start(on: group, streams: 1) { _, _ in
            signal.yield()
            return .hold
        }
        let pool = try pool(server) {
            $0.maximumConnections = 1
            $0.maximumWaiting = 10
        }
        let notification = PushNotification(try message(), to: try device(1))
        let deadline = NIODeadline.now() + .minutes(2 * TestTime.factor)
        // The connection has in hand what it takes, and ten more wait.
        async let first = pool.send(Sample.batch(10), token: nil, deadline: deadline)
        for await _ in asked { break }
        async let others = withTaskGroup(of: [Outcome].self) { tasks in
            for _ in 0..<1000 {
                tasks.addTask { await pool.send(Sample.batch(10), token: nil, deadline: deadline, whenFull: .wait) }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        while pool.status.waiting < 100 { await Task.yield() }
        #expect(try await pool.send(notification, token: nil, deadline: deadline) == .notSent(.queueFull))
        async let waiting = pool.send(notification, token: nil, deadline: deadline, whenFull: .wait)
        server.release()
        #expect(try await waiting == accepted)
        #expect(await first + others == Array(repeating: accepted, count: 10_010))
        await pool.shutDown()
        await server.stop()
    }
}
