import ApplePush
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import ApplePushConnection

/// Pools whose connections are closed, reset, frozen and refused again and again.
struct ChaosTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    /// Two in a usual run; script/soak asks for more.
    private static let seeds =
        1...max(1, UInt64(ProcessInfo.processInfo.environment["CARILLON_CHAOS_SEEDS"] ?? "") ?? 2)

    @Test(
        "P-28 P-48 whatever the network does, no notification is lost, duplicated or has a false outcome",
        arguments: seeds
    )
    func badNetwork(seed: UInt64) async throws {
        let answered = NIOLockedValueBox<[String: Int]>([:])
        let server = try await ChannelServer.start(on: group, streams: 100) { request, _ in
            let id = request.field("apns-id") ?? ""
            answered.withLockedValue { $0[id, default: 0] += 1 }
            return .answer(200, fields: [("apns-id", id)])
        }
        let proxy = try await ChaosProxy.start(on: group, to: server.port, seed: seed, spared: 16)
        var configuration = ConnectionPool.Configuration()
        configuration.trustRoots = .file(server.certificatePath)
        configuration.maximumConnections = 3
        configuration.firstBackoff = .milliseconds(5)
        configuration.longestBackoff = .milliseconds(20)
        configuration.connectBurst = 10_000
        configuration.silence = .milliseconds(100 * TestTime.factor)
        // Long enough for a slow machine: a good connection that is given up costs another handshake, and so on.
        configuration.pingTimeout = .seconds(2 * TestTime.factor)
        configuration.connectTimeout = .seconds(5 * TestTime.factor)
        let pool = try ConnectionPool(
            endpoint: Endpoint(host: "localhost", port: proxy.port),
            configuration: configuration,
            eventLoopGroup: group
        )
        let deadline = NIODeadline.now() + .minutes(2 * TestTime.factor)
        let batches = (0..<30).map { _ in Sample.batch(200) }
        let outcomes = await withTaskGroup(of: (Int, [Outcome]).self) { tasks in
            for (index, batch) in batches.enumerated() {
                tasks.addTask {
                    (index, await pool.send(batch, token: Sample.token, deadline: deadline))
                }
            }
            return await tasks.reduce(into: [Int: [Outcome]]()) { $0[$1.0] = $1.1 }
        }
        await pool.shutDown()
        await proxy.stop()
        await server.stop()

        let times = answered.withLockedValue { $0 }
        #expect(times.values.allSatisfy { $0 == 1 }, "seed \(seed): none is sent again that may have come through")
        var kinds: [String: Int] = [:]
        for (index, batch) in batches.enumerated() {
            #expect(outcomes[index]?.count == batch.count)
            for (id, outcome) in zip(batch.ids, outcomes[index] ?? []) {
                let hasCome = times[id.uuidString.lowercased()] != nil
                switch outcome {
                case .accepted:
                    kinds["accepted", default: 0] += 1
                    #expect(hasCome, "seed \(seed)")
                case .notSent:
                    kinds["notSent", default: 0] += 1
                    #expect(!hasCome, "seed \(seed)")
                case .unknown: kinds["unknown", default: 0] += 1
                case .rejected: Issue.record("seed \(seed): nothing is rejected")
                }
            }
        }
        #expect(proxy.connections > 16 && kinds["accepted", default: 0] > 3000, "seed \(seed): \(kinds)")
    }
}
