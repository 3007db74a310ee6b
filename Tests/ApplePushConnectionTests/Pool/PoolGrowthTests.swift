import ApplePush
import NIOCore
import Testing

@testable import ApplePushConnection

/// How many connections a pool makes for what is to be sent at once: a stream is busy for a round trip.
struct PoolGrowthTests {
    /// A pool whose callers always have the same number of notifications with it, answered in the order they were
    /// sent: a long way.
    private struct LongWay {
        var rig: PoolRig
        var slices: [(connection: Connection.ID, slice: BatchSlice)] = []

        init(streams: Int, _ change: (inout PoolStateMachine.Configuration) -> Void = { _ in }) {
            rig = PoolRig {
                ($0.streams, $0.watermark, $0.lotSize) = (streams, 4096, 1024)
                ($0.maximumConnections, $0.connectBurst) = (16, 64)
                change(&$0)
            }
        }

        mutating func run(_ count: Int, rounds: Int = 400) {
            take(rig.send(count))
            for _ in 0..<rounds where !slices.isEmpty {
                let next = slices.removeFirst()
                take(rig.finish(next.slice))
                take(rig.send(next.slice.count))
            }
        }

        private mutating func take(_ actions: [PoolRig.Action]) {
            slices += actions.offers
            for id in actions.connects { take(rig.ready(id)) }
        }
    }

    @Test(
        "P-12 there are enough connections for a stream per notification, up to the limit",
        arguments: [
            (1_000, 900, 1), (1_000, 1_500, 2), (1_000, 6_000, 6), (1_000, 15_000, 15), (1_000, 24_000, 16),
            (500, 6_000, 12), (2_000, 6_000, 3), (100, 6_000, 16),
        ]
    )
    func asManyAsNeeded(_ streams: Int, _ count: Int, _ connections: Int) {
        var way = LongWay(streams: streams)
        way.run(count)
        #expect(way.rig.pool.connectionCount == connections)
        #expect((way.rig.pool.waitingCount > 0) == (count > connections * 2 * max(streams, 102)))
    }

    @Test("P-12 a connection holds twice as many notifications as streams, so that it always has work")
    func holdsTwice() {
        var way = LongWay(streams: 1_000) { $0.maximumConnections = 1 }
        way.run(10_000, rounds: 0)
        #expect((2_000..<2_500).contains(way.rig.pool.inFlight))
    }

    @Test("P-12 neither the one stream before the first answer nor a lower limit creates connections")
    func oneStream() throws {
        var rig = PoolRig { ($0.streams, $0.watermark, $0.lotSize) = (1_000, 4096, 1024) }
        let id = try #require(rig.send(900).connects.first)
        let ready = rig.ready(id)
        #expect(rig.pool.streamLimitChanged(id, to: 1, at: rig.now).connects.isEmpty && ready.connects.isEmpty)
        let raised = rig.pool.streamLimitChanged(id, to: 1_000, at: rig.now)
        #expect(raised.connects.isEmpty)
        var slices = ready.offers.map(\.slice)
        _ = rig.finish(slices.removeFirst())
        for slice in slices { _ = rig.finish(slice) }

        let few = rig.send(90)
        #expect(rig.pool.streamLimitChanged(id, to: 1, at: rig.now).connects.isEmpty && few.connects.isEmpty)
    }

    @Test("P-12 connections are created no faster than the rate allows")
    func limitedRate() {
        var way = LongWay(streams: 1_000) { $0.connectBurst = 3 }
        way.run(15_000)
        #expect(way.rig.pool.connectionCount == 3)
    }
}
