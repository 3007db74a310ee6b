import ApplePush
import NIOCore
import Testing

@testable import ApplePushConnection

/// When the pool's state machine makes, replaces and closes connections, and whom it lets wait.
struct PoolRotationTests {
    @Test("P-11 beyond a burst connections are begun at the allowed rate, even when each of them worked")
    func connectRate() throws {
        var rig = PoolRig {
            $0.maximumConnections = 1
            $0.connectBurst = 3
            $0.connectInterval = .seconds(2)
        }
        var begun: [Int64] = []
        var id = rig.send(1000).connects.first
        for tenth in 0..<100 {
            if let connection = id {
                begun.append(Int64(tenth))
                for (_, slice) in rig.ready(connection).offers {
                    _ = rig.finish(slice)
                }
                id = rig.close(connection, ConnectionClosure(.goAway, reason: .shutdown)).connects.first
            }
            id = id ?? rig.pass(.milliseconds(100)).connects.first
        }
        #expect(begun.prefix(3).allSatisfy { $0 < 3 })
        #expect((6...8).contains(begun.count))
        #expect(zip(begun.dropFirst(3), begun.dropFirst(4)).allSatisfy { $1 - $0 >= 19 })
    }

    @Test("P-13 old connections are replaced one at a time, each before the next and without a loss")
    func age() throws {
        var rig = PoolRig {
            $0.maximumConnections = 2
            $0.maximumAge = .hours(1)
        }
        let first = try #require(rig.send(100).connects.first)
        let second = try #require(rig.ready(first, jitter: 0).connects.first)
        _ = rig.ready(second, jitter: 1)
        // The second is to end six minutes earlier.
        #expect(rig.pass(.minutes(53)).drains.isEmpty)
        let actions = rig.pass(.minutes(2))
        #expect(actions.drains == [second])
        let third = try #require(actions.connects.first ?? rig.pass(.milliseconds(100)).connects.first)
        #expect(rig.pass(.minutes(6)).drains.isEmpty, "another is being replaced")
        _ = rig.ready(third)
        _ = rig.close(second)
        #expect(rig.pass(.milliseconds(100)).drains == [first])
    }

    @Test("P-10 an idle connection is closed after its timeout, a busy one never")
    func idle() throws {
        var rig = PoolRig { $0.idleTimeout = .minutes(5) }
        let id = try #require(rig.send(10).connects.first)
        let slice = try #require(rig.ready(id).offers.first?.slice)
        #expect(rig.pass(.minutes(20)).drains.isEmpty)
        _ = rig.finish(slice)
        #expect(rig.pass(.minutes(4)).drains.isEmpty)
        #expect(rig.pass(.minutes(1)).drains == [id])
        #expect(rig.pool.tickInterval != nil)
        _ = rig.close(id)
        #expect(rig.pool.tickInterval == nil, "a pool at rest has nothing to wait for")
    }

    @Test("P-12 a connection's limit follows its streams, so that more are created where they are few")
    func watermarkFollowsStreams() throws {
        var rig = PoolRig {
            $0.watermark = 400
            $0.lotSize = 100
        }
        let first = try #require(rig.send(1000).connects.first)
        _ = rig.pool.streamLimitChanged(first, to: 10, at: rig.now)
        let actions = rig.ready(first)
        #expect(actions.offers.map(\.slice.count) == [5, 5, 5, 5] && actions.connects.count == 1)
        let more = rig.pool.streamLimitChanged(first, to: 100, at: rig.now)
        #expect(more.offers.map(\.slice.count) == [50, 50, 50, 50])
    }

    @Test("P-36 callers that wait for room are served in order")
    func waitsForRoom() throws {
        var rig = PoolRig { $0.maximumWaiting = 10 }
        let id = try #require(rig.send(10).connects.first)
        #expect(rig.send(10, whenFull: .wait).finished.isEmpty)
        #expect(rig.send(30, whenFull: .wait).finished.isEmpty)
        #expect(rig.send(1).finished == [[.notSent(.queueFull)]])
        #expect(rig.pool.waitingCount == 10 && rig.pool.heldCount == 40)
        var slices = rig.ready(id).offers.map(\.slice)
        var sizes: [Int] = []
        while !slices.isEmpty {
            let actions = rig.finish(slices.removeFirst())
            sizes += actions.finished.map(\.count)
            slices += actions.offers.map(\.slice)
        }
        #expect(sizes == [10, 10, 30] && rig.pool.waitingCount == 0 && rig.pool.heldCount == 0)
    }

    @Test("P-37 the wait for room ends with the deadline, with cancellation and with a shutdown")
    func waitForRoomEnds() throws {
        var rig = PoolRig { $0.maximumWaiting = 10 }
        _ = rig.send(10)
        _ = rig.send(4, for: .seconds(5), whenFull: .wait)
        #expect(rig.pass(.seconds(5)).finished == [Array(repeating: .notSent(.deadlinePassed), count: 4)])
        let id = rig.pool.makeJobID()
        _ = rig.pool.send(
            Sample.batch(3),
            as: id,
            token: nil,
            deadline: .distantFuture,
            whenFull: .wait,
            at: rig.now
        )
        #expect(rig.pool.cancel(id).finished == [Array(repeating: .notSent(.cancelled), count: 3)])
        _ = rig.send(2, whenFull: .wait)
        let ended = rig.pool.shutDown(cancelling: true).finished
        #expect(ended.map(\.count).sorted() == [2, 10] && ended.joined().allSatisfy { $0 == .notSent(.shutDown) })
        #expect(rig.pool.tally.notSent == [.deadlinePassed: 4, .cancelled: 3, .shutDown: 12])
    }

    @Test("P-41 a burst of invalid device tokens slows the pool if configured, and accepted ones end it")
    func badTokens() throws {
        var rig = PoolRig {
            $0.brake = BadTokenBrake()
            $0.brake?.window = 20
            $0.brake?.rate = 50
        }
        let bad = Outcome.rejected(Rejection(.badDeviceToken, status: 400))
        let id = try #require(rig.send(500).connects.first)
        var slices = rig.ready(id).offers.map(\.slice)
        #expect(slices.map(\.count) == [10, 10])
        slices += rig.finish(slices.removeFirst(), bad).offers.map(\.slice)
        #expect(slices.count == 1 && rig.pool.badTokens?.isSlow == true)
        var sent = 0
        for _ in 0..<20 {
            for slice in rig.pass(.milliseconds(100)).offers.map(\.slice) {
                sent += slice.count
                #expect(rig.finish(slice, bad).offers.isEmpty)
            }
        }
        #expect(sent == 100, "two seconds at fifty a second")
        var fast = rig.finish(slices.removeFirst()).offers
        for _ in 0..<20 where fast.count < 2 {
            for slice in rig.pass(.milliseconds(100)).offers.map(\.slice) { fast += rig.finish(slice).offers }
        }
        #expect(rig.pool.badTokens?.isSlow == false && fast.count >= 2)
    }

    @Test("P-41 without the setting nothing is delayed")
    func noBrake() throws {
        var rig = PoolRig()
        let bad = Outcome.rejected(Rejection(.badDeviceToken, status: 400))
        let id = try #require(rig.send(5000).connects.first)
        var slices = rig.ready(id).offers.map(\.slice)
        var sent = 0
        while let slice = slices.popLast() {
            sent += slice.count
            slices += rig.finish(slice, bad).offers.map(\.slice)
        }
        #expect(sent == 5000 && rig.pool.tally.rejected == [.badDeviceToken: 5000])
    }
}
