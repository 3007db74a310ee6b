import ApplePush
import NIOCore
import Testing

@testable import ApplePushConnection

struct PoolStateMachineTests {
    private typealias Action = PoolStateMachine.Action
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func machine(_ change: (inout PoolStateMachine.Configuration) -> Void = { _ in }) -> PoolStateMachine {
        var configuration = PoolStateMachine.Configuration()
        configuration.lotSize = 10
        configuration.watermark = 20
        change(&configuration)
        return PoolStateMachine(configuration)
    }

    private func connects(_ actions: [Action]) -> [Connection.ID] {
        actions.compactMap { if case .connect(let id) = $0 { id } else { nil } }
    }

    private func offers(_ actions: [Action]) -> [(connection: Connection.ID, slice: BatchSlice)] {
        actions.compactMap { if case .offer(let id, let slice) = $0 { (id, slice) } else { nil } }
    }

    private func finished(_ actions: [Action]) -> [[Outcome]] {
        actions.compactMap { if case .finish(_, let outcomes) = $0 { outcomes } else { nil } }
    }

    private func send(_ count: Int, _ pool: inout PoolStateMachine, for amount: TimeAmount = .hours(1)) -> [Action] {
        let id = pool.makeJobID()
        return pool.send(Sample.batch(count), as: id, token: nil, deadline: start + amount, at: start)
    }

    private func accept(_ slice: BatchSlice, _ pool: inout PoolStateMachine) -> [Action] {
        pool.sliceFinished(slice.id, Array(repeating: accepted, count: slice.count), at: start)
    }

    @Test("P-11 one connection is made at a time, and gets slices when it is ready")
    func oneAtATime() throws {
        var pool = machine()
        let id = try #require(connects(send(5, &pool)).first)
        #expect(connects(send(5, &pool)).isEmpty)
        let offered = offers(pool.connectionIsReady(id, at: start))
        #expect(offered.map(\.slice.count) == [5, 5])
    }

    @Test("P-12 the pool grows while connections are full, up to its limit, and spreads the load")
    func growth() throws {
        var pool = machine { $0.maximumConnections = 3 }
        var ids = connects(send(1000, &pool))
        var loads: [Connection.ID: Int] = [:]
        for _ in 0..<5 {
            guard let id = ids.popLast() else { break }
            let actions = pool.connectionIsReady(id, at: start)
            for offer in offers(actions) { loads[offer.connection, default: 0] += offer.slice.count }
            ids += connects(actions)
        }
        #expect(loads.count == 3 && loads.values.allSatisfy { $0 == 20 })
        #expect(pool.connectionCount == 3 && pool.waitingCount == 940)
    }

    @Test("P-06 only unsent notifications go to another connection")
    func resend() throws {
        var pool = machine()
        let first = try #require(connects(send(4, &pool)).first)
        let slice = try #require(offers(pool.connectionIsReady(first, at: start)).first?.slice)
        var actions = pool.connectionDrains(first, ConnectionClosure(.goAway), at: start, jitter: 1)
        actions += pool.sliceFinished(
            slice.id,
            [accepted, .notSent(.goAway), .unknown(.connectionLost), .notSent(.refused)],
            at: start
        )
        actions += pool.tick(start + .seconds(1))
        let second = try #require(connects(actions).first)
        let again = try #require(offers(pool.connectionIsReady(second, at: start)).first?.slice)
        #expect([again.members[0], again.members[1]] == [1, 3] && again.count == 2)
        #expect(finished(accept(again, &pool)) == [[accepted, accepted, .unknown(.connectionLost), accepted]])
    }

    @Test("P-11 failed attempts have a growing backoff with jitter, up to a limit")
    func backoff() throws {
        var pool = machine {
            $0.firstBackoff = .seconds(1)
            $0.longestBackoff = .seconds(8)
        }
        var now = start
        var id = try #require(connects(send(1, &pool)).first)
        for (jitter, wait) in [(1.0, 1000), (1, 2000), (1, 4000), (1, 8000), (1, 8000), (0, 4000), (0.5, 6000)] {
            let closed = pool.connectionClosed(id, ConnectionClosure(.connectFailed), at: now, jitter: jitter)
            #expect(connects(closed).isEmpty)
            #expect(connects(pool.tick(now + .milliseconds(Int64(wait) - 1))).isEmpty)
            now = now + .milliseconds(Int64(wait))
            id = try #require(connects(pool.tick(now)).first)
        }
    }

    @Test("P-11 an answer resets the backoff")
    func backoffEnds() throws {
        var pool = machine { $0.firstBackoff = .seconds(1) }
        let first = try #require(connects(send(1, &pool)).first)
        _ = pool.connectionClosed(first, ConnectionClosure(.connectFailed), at: start, jitter: 1)
        let second = try #require(connects(pool.tick(start + .seconds(1))).first)
        let slice = try #require(offers(pool.connectionIsReady(second, at: start)).first?.slice)
        _ = accept(slice, &pool)
        let later = start + .seconds(2)
        #expect(pool.connectionClosed(second, ConnectionClosure(.lost), at: later, jitter: 1).isEmpty)
        _ = send(1, &pool)
        #expect(connects(pool.tick(later)).count == 1)
    }

    @Test("P-37 the deadline covers the wait for a connection")
    func deadline() {
        var pool = machine()
        _ = send(3, &pool, for: .seconds(5))
        #expect(finished(pool.tick(start + .seconds(4))).isEmpty)
        #expect(finished(pool.tick(start + .seconds(5))) == [Array(repeating: .notSent(.deadlinePassed), count: 3)])
        #expect(pool.waitingCount == 0)
    }

    @Test("P-37 unsent notifications are not sent after the deadline")
    func lateReturn() throws {
        var pool = machine()
        let id = try #require(connects(send(1, &pool, for: .seconds(5))).first)
        let slice = try #require(offers(pool.connectionIsReady(id, at: start)).first?.slice)
        let actions = pool.sliceFinished(slice.id, [.notSent(.goAway)], at: start + .seconds(5))
        #expect(finished(actions) == [[.notSent(.goAway)]])
    }

    @Test("P-37 cancelling ends waiting slices and cancels those in flight")
    func cancel() throws {
        var pool = machine()
        let job = pool.makeJobID()
        let actions = pool.send(Sample.batch(50), as: job, token: nil, deadline: .distantFuture, at: start)
        let id = try #require(connects(actions).first)
        let offered = offers(pool.connectionIsReady(id, at: start))
        #expect(offered.count == 2 && pool.waitingCount == 30)
        let cancelled = pool.cancel(job)
        #expect(cancelled.count == 2 && pool.waitingCount == 0)
        let unknown = Array(repeating: Outcome.unknown(.cancelled), count: 10)
        #expect(finished(pool.sliceFinished(offered[0].slice.id, unknown, at: start)).isEmpty)
        let last = finished(pool.sliceFinished(offered[1].slice.id, unknown, at: start))
        #expect(last == [unknown + unknown + Array(repeating: .notSent(.cancelled), count: 30)])
    }

    @Test("P-07 wrong credentials fail all waiting slices at once")
    func credentials() throws {
        var pool = machine()
        let id = try #require(connects(send(2, &pool)).first)
        let closure = ConnectionClosure(.goAway, reason: .invalidProviderToken)
        let actions = pool.connectionClosed(id, closure, at: start, jitter: 1)
        #expect(finished(actions) == [[.notSent(.noConnection), .notSent(.noConnection)]])
        #expect(connects(actions).isEmpty && pool.lastClosure == closure)
    }

    @Test("on demand, waiting slices fail when a connection cannot be made and there is no other")
    func unreachable() throws {
        let closure = ConnectionClosure(.connectFailed, detail: "refused")
        for isAsked in [false, true] {
            var configuration = PoolStateMachine.Configuration()
            configuration.failsWhenUnreachable = isAsked
            var pool = PoolStateMachine(configuration)
            let id = try #require(connects(send(2, &pool)).first)
            let actions = pool.connectionClosed(id, closure, at: start, jitter: 1)
            let failed = Array(repeating: Outcome.notSent(.noConnection), count: 2)
            #expect(finished(actions) == (isAsked ? [failed] : []))
            #expect(pool.waitingCount == (isAsked ? 0 : 2) && pool.lastClosure == closure)
        }
    }

    @Test("P-14 a shutdown lets jobs finish, drains the connections, and stops when they are closed")
    func shutDown() throws {
        var pool = machine()
        let id = try #require(connects(send(1, &pool)).first)
        let slice = try #require(offers(pool.connectionIsReady(id, at: start)).first?.slice)
        #expect(pool.shutDown(cancelling: false).isEmpty)
        #expect(finished(send(1, &pool)) == [[.notSent(.shutDown)]])
        let done = accept(slice, &pool)
        #expect(finished(done) == [[accepted]])
        #expect(done.contains { if case .drain(id) = $0 { true } else { false } })
        let closed = pool.connectionClosed(id, ConnectionClosure(.drained), at: start, jitter: 1)
        #expect(closed.contains { if case .stopped = $0 { true } else { false } })
    }
}
