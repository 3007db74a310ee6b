import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import NIOPosix
import Testing

struct PoolMetricsTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    private func pool(
        _ server: LoopbackServer,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        configuration.maximumConnections = 1
        configuration.firstBackoff = .milliseconds(10)
        change(&configuration)
        return try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: server.port),
            configuration: configuration,
            eventLoopGroup: group
        )
    }

    @Test("P-42 a pool counts outcomes by reason, and the latency of answers")
    func outcomes() async throws {
        let server = try await LoopbackServer.start(on: group, streams: 70) { request, connection in
            switch request {
            case 3: .answer(410, "Unregistered")
            case 5: .answer(400, "BadDeviceToken")
            case 6: .answer(400, "WordOfTomorrow")
            case 7: .answer(400, "AnotherOne")
            case 50 where connection == 0: .goAway(last: 99, reason: "Shutdown")
            default: .accept
            }
        }
        let pool = try pool(server)
        let token = ProviderToken(rawValue: "jwt", keyID: "K", issuedAt: Date(timeIntervalSince1970: 1_800_000_000))
        let outcomes = await pool.send(Sample.batch(200), token: token, deadline: .now() + .seconds(120))
        #expect(outcomes.count { $0 == .accepted(uniqueID: nil) } == 192)

        let metrics = pool.metrics
        #expect(metrics.accepted == 192)
        #expect(
            metrics.rejected == [.unregistered: 2, .badDeviceToken: 2, ConnectionPool.Metrics.otherReason: 4]
        )
        #expect(metrics.notSent.isEmpty && metrics.unknown.isEmpty)
        #expect(metrics.goAways == [.shutdown: 1] && metrics.closures == [.goAway: 1])
        #expect(metrics.connects == 2 && metrics.connections == 1 && metrics.streamLimit == 70)
        #expect(metrics.queued == 0 && metrics.inFlight == 0)
        #expect(metrics.latency.total == 200 && metrics.latency.seconds > 0)
        #expect(metrics.providerTokenIssuedAt == Date(timeIntervalSince1970: 1_800_000_000) && metrics.slowed == 0)
        await pool.shutDown()
        #expect(pool.metrics.latency.total == 200, "what gone connections counted stays")
        await server.stop()
    }

    @Test("P-42 waiting notifications and those in flight are counted separately")
    func underWay() async throws {
        let (full, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start(on: group, streams: 10) { request, _ in
            if request == 10 { signal.yield() }
            return request == 0 ? .accept : .hold
        }
        let pool = try pool(server)
        async let outcomes = pool.send(Sample.batch(100), token: nil, deadline: .now() + .seconds(120))
        for await _ in full { break }
        let metrics = pool.metrics
        #expect(metrics.queued + metrics.inFlight == 100, "a slice is counted when it is done")
        #expect(metrics.inFlight <= 10 && metrics.accepted == 0)
        server.release()
        #expect(await outcomes.count { $0 == .accepted(uniqueID: nil) } == 100)
        #expect(pool.metrics.queued == 0 && pool.metrics.inFlight == 0 && pool.metrics.accepted == 100)
        await pool.shutDown()
        await server.stop()
    }

    @Test("P-42 metrics of several pools add up, with the oldest provider token")
    func sum() {
        var one = ConnectionPool.Metrics()
        one.accepted = 3
        one.rejected = [.unregistered: 1]
        one.providerTokenIssuedAt = Date(timeIntervalSince1970: 50)
        var two = ConnectionPool.Metrics()
        two.accepted = 4
        two.rejected = [.unregistered: 2, .badTopic: 1]
        two.providerTokenIssuedAt = Date(timeIntervalSince1970: 40)
        one += two
        one += ConnectionPool.Metrics()
        #expect(one.accepted == 7 && one.rejected == [.unregistered: 3, .badTopic: 1])
        #expect(one.providerTokenIssuedAt == Date(timeIntervalSince1970: 40))
    }

    @Test("P-43 unknown reasons cannot fill the memory")
    func boundedWords() async throws {
        let server = try await LoopbackServer.start(on: group) { request, _ in .answer(400, "Word\(request)") }
        let pool = try pool(server)
        _ = await pool.send(Sample.batch(1000), token: nil, deadline: .now() + .seconds(120))
        #expect(pool.metrics.rejected == [ConnectionPool.Metrics.otherReason: 1000])
        await pool.shutDown()
        await server.stop()
    }
}
