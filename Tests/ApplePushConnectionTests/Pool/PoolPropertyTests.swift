import ApplePush
import Foundation
import NIOCore
import Testing

@testable import ApplePushConnection

/// Random lives of a pool: whatever callers, connections and the clock do, no notification is lost, doubled or told twice.
struct PoolPropertyTests {
    @Test(
        "P-05 P-34 P-36 P-40 whatever happens, each notification has one outcome and is on one connection at most",
        arguments: 0..<60
    )
    func randomLife(seed: UInt64) {
        var life = PoolLife(seed: seed)
        for _ in 0..<400 { life.step() }
        life.end()
        #expect(life.violations.isEmpty, "seed \(seed): \(life.violations.prefix(3))")
        #expect(life.finished == life.sent && life.isStopped, "seed \(seed): every caller got an answer")
        #expect(life.counted == life.notifications, "seed \(seed): every outcome is counted once")
    }
}

/// Plays callers, connections and the clock against a pool's state machine, and keeps its own books.
private struct PoolLife {
    private struct Sent {
        var count: Int
        /// With how many connections each notification is now.
        var places: [Int]
        /// Notifications that APNs may have: they must not go out again.
        var isOver: [Bool]
    }

    private struct Live {
        var isReady = false
        var isDraining = false
        var slices: [BatchSlice] = []
        var keys: Set<String> = []
    }

    private var random: SeededRandom
    private var pool: PoolStateMachine
    private var now = PoolRig.start
    private var jobs: [PoolStateMachine.JobID: Sent] = [:]
    /// Which job a batch belongs to, by its first id.
    private var owners: [String: PoolStateMachine.JobID] = [:]
    private var live: [Connection.ID: Live] = [:]
    private(set) var violations: [String] = []
    private(set) var sent = 0
    private(set) var finished = 0
    private(set) var notifications = 0
    private(set) var isStopped = false

    init(seed: UInt64) {
        random = SeededRandom(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        var configuration = PoolStateMachine.Configuration()
        configuration.lotSize = 7
        configuration.streams = seed.isMultiple(of: 4) ? 3 : 1000
        configuration.watermark = 20
        configuration.maximumWaiting = 60
        configuration.maximumConnections = 3
        configuration.connectBurst = 5
        configuration.firstBackoff = .milliseconds(50)
        if seed.isMultiple(of: 2) { configuration.maximumAge = .seconds(30) }
        if seed.isMultiple(of: 3) { configuration.idleTimeout = .seconds(5) }
        if seed.isMultiple(of: 5) { configuration.brake = BadTokenBrake() }
        pool = PoolStateMachine(configuration)
    }

    /// How many outcomes the pool has counted.
    var counted: Int {
        let tally = pool.tally
        return tally.accepted + tally.rejected.values.reduce(0, +) + tally.notSent.values.reduce(0, +)
            + tally.unknown.values.reduce(0, +)
    }

    mutating func step() {
        now = now + .milliseconds(Int64.random(in: 0...200, using: &random))
        audit()
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: send()
        case 5..<7: take(pool.tick(now))
        case 7: cancel()
        case 8..<10: becomeReady()
        case 10..<16: finishSlice()
        case 16: changeLimit()
        case 17: drainByPeer()
        case 18: close()
        default: if Int.random(in: 0..<10, using: &random) == 0 { renew() }
        }
    }

    /// Shuts the pool down and lets everything come to its end.
    mutating func end() {
        take(pool.shutDown(cancelling: Bool.random(using: &random)))
        for _ in 0..<3000 where !isStopped {
            now = now + .milliseconds(500)
            take(pool.tick(now))
            becomeReady()
            for _ in 0..<5 { finishSlice() }
            for (id, connection) in live where connection.isDraining && connection.slices.isEmpty {
                live[id] = nil
                take(pool.connectionClosed(id, ConnectionClosure(.drained), at: now, jitter: 1))
            }
        }
    }

    // MARK: - What callers do

    private mutating func send() {
        let count = Int.random(in: 0...40, using: &random)
        let id = pool.makeJobID()
        let batch = Sample.batch(count)
        if let first = batch.ids.first { owners[first.uuidString] = id }
        jobs[id] = Sent(
            count: count,
            places: Array(repeating: 0, count: count),
            isOver: Array(repeating: false, count: count)
        )
        sent += 1
        notifications += count
        take(
            pool.send(
                batch,
                as: id,
                token: [nil, PoolRig.token("A"), PoolRig.token("B")].randomElement(using: &random) ?? nil,
                deadline: now + .milliseconds(Int64.random(in: 1...60_000, using: &random)),
                whenFull: Bool.random(using: &random) ? .wait : .giveBack,
                at: now
            )
        )
    }

    private mutating func cancel() {
        guard let id = jobs.keys.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &random) else { return }
        take(pool.cancel(id))
    }

    private mutating func renew() {
        take(pool.renew(PoolRig.token("C"), at: now))
    }

    // MARK: - What connections do

    private func pick(_ isMeant: (Live) -> Bool) -> [Connection.ID] {
        live.filter { isMeant($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    private mutating func becomeReady() {
        guard let id = pick({ !$0.isReady && !$0.isDraining }).randomElement(using: &random) else { return }
        live[id]?.isReady = true
        take(pool.connectionIsReady(id, at: now, jitter: Double.random(in: 0...1, using: &random)))
    }

    private mutating func changeLimit() {
        guard let id = pick({ $0.isReady }).randomElement(using: &random) else { return }
        take(pool.streamLimitChanged(id, to: Int.random(in: 0...1000, using: &random), at: now))
    }

    private mutating func finishSlice() {
        guard let id = pick({ !$0.slices.isEmpty }).randomElement(using: &random), var connection = live[id] else {
            return
        }
        let slice = connection.slices.remove(at: Int.random(in: 0..<connection.slices.count, using: &random))
        let mayBeUnsent = connection.isDraining
        live[id] = connection
        give(back: slice) { random in
            switch Int.random(in: 0..<12, using: &random) {
            case 0: .rejected(Rejection(.badDeviceToken, status: 400))
            case 1: .unknown(.reset)
            case 2: .notSent(.refused)
            case 3 where mayBeUnsent: .notSent(.connectionLost)
            default: .accepted(uniqueID: nil)
            }
        }
    }

    private mutating func drainByPeer() {
        guard let id = pick({ $0.isReady && !$0.isDraining }).randomElement(using: &random) else { return }
        live[id]?.isDraining = true
        let reasons: [RejectionReason] = [.shutdown, .tooManyProviderTokenUpdates, .idleTimeout]
        let closure = ConnectionClosure(.wornOut, reason: reasons.randomElement(using: &random))
        take(pool.connectionDrains(id, closure, at: now, jitter: 0.5))
    }

    private mutating func close() {
        guard let id = pick({ _ in true }).randomElement(using: &random), let connection = live[id] else { return }
        live[id]?.isDraining = true
        take(pool.connectionDrains(id, ConnectionClosure(.lost), at: now, jitter: 0.5))
        live[id]?.slices = []
        for slice in connection.slices {
            give(back: slice) { random in
                Bool.random(using: &random) ? .notSent(.connectionLost) : .unknown(.connectionLost)
            }
        }
        live[id] = nil
        take(pool.connectionClosed(id, ConnectionClosure(.lost), at: now, jitter: 0.5))
    }

    private mutating func give(back slice: BatchSlice, _ outcome: (inout SeededRandom) -> Outcome) {
        let outcomes = (0..<slice.count).map { _ in outcome(&random) }
        if let job = owners[slice.batch.ids.first?.uuidString ?? ""] {
            for (position, outcome) in outcomes.enumerated() {
                jobs[job]?.places[slice.members[position]] -= 1
                if case .notSent = outcome { continue }
                jobs[job]?.isOver[slice.members[position]] = true
            }
        }
        take(pool.sliceFinished(slice.id, outcomes, at: now))
    }

    // MARK: - What the pool asks for

    private mutating func take(_ actions: [PoolStateMachine.Action]) {
        for action in actions {
            switch action {
            case .connect(let id):
                live[id] = Live()
                if live.count > 6 { violations.append("too many connections") }
            case .offer(let id, let slice): accept(slice, id)
            case .cancel: break
            case .drain(let id): live[id]?.isDraining = true
            case .finish(let id, let outcomes): finish(id, outcomes)
            case .stopped: isStopped = true
            }
        }
        let waiting = pool.waiting.reduce(0) { $0 + $1.members.count }
        if waiting != pool.waitingCount { violations.append("\(waiting) wait, \(pool.waitingCount) are counted") }
    }

    /// Compares the pool's books with ours, between two events.
    private mutating func audit() {
        let held = live.values.reduce(0) { $0 + $1.slices.reduce(0) { $0 + $1.count } }
        if pool.inFlight != held { violations.append("\(held) are with connections, \(pool.inFlight) are counted") }
    }

    private mutating func accept(_ slice: BatchSlice, _ id: Connection.ID) {
        guard live[id]?.isReady == true, live[id]?.isDraining == false else {
            violations.append("a slice for a connection that takes none")
            return
        }
        live[id]?.slices.append(slice)
        if let key = slice.token?.keyID { live[id]?.keys.insert(key) }
        if live[id].map({ $0.keys.count > 1 }) == true { violations.append("two keys on a connection") }
        guard let job = owners[slice.batch.ids.first?.uuidString ?? ""], let sent = jobs[job] else {
            violations.append("a slice of a job that is over")
            return
        }
        for position in 0..<slice.count {
            let index = slice.members[position]
            if sent.places[index] != 0 { violations.append("with two connections") }
            if sent.isOver[index] { violations.append("sent after it had an answer") }
            jobs[job]?.places[index] += 1
        }
    }

    private mutating func finish(_ id: PoolStateMachine.JobID, _ outcomes: [Outcome]) {
        guard let job = jobs.removeValue(forKey: id) else {
            violations.append("finished twice")
            return
        }
        finished += 1
        if outcomes.count != job.count { violations.append("\(outcomes.count) outcomes for \(job.count)") }
        if job.places.contains(where: { $0 != 0 }) { violations.append("finished while a connection has some") }
        for (index, outcome) in outcomes.enumerated() {
            if case .notSent = outcome, job.isOver[index] { violations.append("told as unsent after an answer") }
        }
    }
}

/// A small generator that gives the same numbers for the same seed (xorshift).
private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
