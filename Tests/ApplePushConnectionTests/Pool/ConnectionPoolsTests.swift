import ApplePush
import ApplePushConnection
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

struct ConnectionPoolsTests {
    private let group = MultiThreadedEventLoopGroup.singleton
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func pools(
        _ server: LoopbackServer,
        limit: Int = 1000,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) -> ConnectionPools<String> {
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        change(&configuration)
        var limits = ConnectionPools<String>.Limits()
        limits.pools = limit
        return ConnectionPools(
            endpoint: Endpoint(host: "localhost", port: server.port),
            configuration: configuration,
            limits: limits,
            eventLoopGroup: group
        )
    }

    private func send(_ count: Int, _ tenant: String, _ pools: ConnectionPools<String>) async throws -> [Outcome] {
        let token = ProviderToken(rawValue: "jwt.\(tenant)", keyID: tenant, issuedAt: .distantPast)
        return try await pools.withPool(for: tenant) {
            await $0.send(Sample.batch(count), token: token, deadline: .now() + .seconds(120))
        }
    }

    @Test("P-45 tenants share event loops, but not connections, limits or failures")
    func tenants() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pools = pools(server) { $0.maximumConnections = 1 }
        let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { tasks in
            for turn in 0..<100 { tasks.addTask { try await send(10, "T\(turn % 10)", pools) } }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes == Array(repeating: accepted, count: 1000))
        #expect(pools.count == 10 && server.connections == 10)
        #expect(server.all.allSatisfy { $0.authorizations.count <= 1 })
        let full = try await pools.withPool(for: "small", adjusting: { $0.maximumWaiting = 5 }) {
            await $0.send(Sample.batch(6), token: nil, deadline: .now() + .seconds(120))
        }
        #expect(full == Array(repeating: .notSent(.queueFull), count: 6))
        #expect(try await send(6, "T1", pools) == Array(repeating: accepted, count: 6))
        #expect(pools.metrics.accepted == 1006 && pools.metrics.notSent == [.queueFull: 6])
        await pools.shutDown()
        await server.stop()
    }

    @Test("P-45 of too many tenants the least recently used is closed, and its metrics stay")
    func bounded() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pools = pools(server, limit: 3)
        for tenant in ["A", "B", "C", "A", "D", "E"] {
            #expect(try await send(10, tenant, pools) == Array(repeating: accepted, count: 10))
        }
        #expect(pools.count == 3 && server.connections == 5 && pools.metrics.accepted == 60)
        #expect(try await send(10, "A", pools).count == 10)
        #expect(server.connections == 5, "A was used after B and C, and keeps its connection")
        await pools.shutDown()
        #expect(pools.metrics.accepted == 70 && pools.metrics.connections == 0)
        await server.stop()
    }

    @Test("P-45 when every pool is in use, another tenant gets Full")
    func full() async throws {
        let server = try await LoopbackServer.start(on: group)
        let pools = pools(server, limit: 1)
        _ = try await pools.withPool(for: "A") { _ in
            await #expect(throws: ConnectionPools<String>.Full.self) { _ = try await send(1, "B", pools) }
        }
        #expect(try await send(1, "B", pools) == [accepted])
        await pools.shutDown()
        await server.stop()
    }

    @Test("P-34 a retired pool finishes its work while its successor begins")
    func retirement() async throws {
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start(on: group) { _, connection in
            if connection == 0 { signal.yield() }
            return connection == 0 ? .hold : .accept
        }
        let pools = pools(server)
        async let old = send(20, "A", pools)
        for await _ in asked { break }
        pools.retire("A")
        #expect(try await send(10, "A", pools) == Array(repeating: accepted, count: 10))
        #expect(server.connections == 2)
        server.release()
        #expect(try await old == Array(repeating: accepted, count: 20))
        #expect(pools.metrics.accepted == 30 && pools.count == 1)
        await pools.shutDown()
        #expect(server.connections == 2)
        await server.stop()
    }
}
