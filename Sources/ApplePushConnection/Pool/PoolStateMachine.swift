import ApplePush
import NIOCore

/// Decides which connection sends what, and when to connect.
///
/// A pure value; the clock and the jitter are arguments.
///
/// Invariants:
/// - notifications that a connection returns unsent go to another one, until the job's deadline;
/// - at most one connection is being made, and the numbers in use and made in a period are limited;
/// - another connection is made while the open ones have more to send than streams;
/// - a connection that ends without any answer delays the next attempt, longer each time;
/// - a connection carries the provider tokens of one key only;
/// - a job has one outcome for each notification, in order, and is finished once.
struct PoolStateMachine {
    struct Configuration: Sendable {
        var maximumConnections = 16
        /// Maximum number of notifications that wait for a connection.
        var maximumWaiting = 500_000
        /// Assumed number of streams of a connection until its peer has answered.
        var streams = 1000
        /// Maximum number of notifications of a connection, however many streams its peer allows.
        var watermark = 4096
        var lotSize = 1024
        var firstBackoff = TimeAmount.milliseconds(250)
        var longestBackoff = TimeAmount.seconds(30)
        /// Maximum burst of new connections, and the interval of further ones.
        var connectBurst = 16
        var connectInterval = TimeAmount.seconds(1)
        var maximumAge: TimeAmount?
        var idleTimeout: TimeAmount?
        var brake: BadTokenBrake?
        /// Whether waiting slices fail when a connection cannot be made and there is no other.
        var failsWhenUnreachable = false
    }

    struct JobID: Hashable, Sendable {
        let rawValue: Int
    }

    enum Action: Sendable {
        case connect(Connection.ID)
        case offer(Connection.ID, BatchSlice)
        case cancel(Connection.ID, BatchSlice.ID)
        case drain(Connection.ID)
        case finish(JobID, [Outcome])
        /// Shut down, and every connection is closed.
        case stopped
    }

    /// One call of `send`.
    struct Job {
        let batch: PushBatch
        var token: ProviderToken?
        let deadline: NIODeadline
        var outcomes: [Outcome]
        var remaining: Int
    }

    /// Notifications that wait for a connection.
    struct QueuedSlice {
        let job: JobID
        var members: BatchSlice.Members
    }

    struct Sending {
        let job: JobID
        let members: BatchSlice.Members
        let connection: Connection.ID
    }

    struct PooledConnection {
        enum Phase { case connecting, ready, draining }
        var phase = Phase.connecting
        var load = 0
        /// Its peer's limit of concurrent streams, as far as known.
        var streams: Int
        /// Maximum number of its notifications.
        var watermark: Int
        /// The key of its tokens: APNs binds a connection to the team of its first request.
        var keyID: String?
        var hasAnswered = false
        var hasFailed = false
        /// When it is replaced.
        var expiry = NIODeadline.distantFuture
        var idleSince = NIODeadline.distantFuture

        init(_ configuration: Configuration) {
            (streams, watermark) = (0, 0)
            allow(configuration.streams, configuration)
        }

        /// Sets the number of streams.
        ///
        /// It holds twice as many notifications as streams, so that it always has work. A limit below a hundred, the
        /// minimum that RFC 9113 recommends, counts as temporary: else every bad answer would create connections.
        mutating func allow(_ limit: Int, _ configuration: Configuration) {
            let most = configuration.watermark
            streams = max(1, max(limit, most / 40))
            watermark = min(2 * min(streams, most), most)
        }

        func carries(_ key: String?) -> Bool { keyID == nil || key == nil || keyID == key }
    }

    let configuration: Configuration
    var jobs: [JobID: Job] = [:]
    var waiting = CircularBuffer<QueuedSlice>()
    var waitingCount = 0
    /// Jobs that wait for room in the queue.
    var held = CircularBuffer<JobID>()
    var slices: [BatchSlice.ID: Sending] = [:]
    var members: [Connection.ID: PooledConnection] = [:]
    var counter = 0
    var failures = 0
    var nextConnect = NIODeadline.uptimeNanoseconds(0)
    var connects: TokenBucket
    /// The newest key: connections of others are given up when nothing more is to be sent with those.
    var newestKey: String?
    var isShutDown = false
    var hasStopped = false
    /// Why the last connection ended.
    var lastClosure: ConnectionClosure?
    var tally = PoolCounts()
    var badTokens: BadTokenGauge?

    init(_ configuration: Configuration) {
        self.configuration = configuration
        connects = TokenBucket(capacity: configuration.connectBurst, interval: configuration.connectInterval)
        badTokens = configuration.brake.map { BadTokenGauge($0) }
    }

    var connectionCount: Int { members.count }
    var readyCount: Int { members.values.count { $0.phase == .ready } }
    var inFlight: Int { members.values.reduce(0) { $0 + $1.load } }
    var heldCount: Int { held.reduce(0) { $0 + (jobs[$1]?.remaining ?? 0) } }

    /// The interval of ``tick(_:)``; `nil` when nothing depends on time.
    var tickInterval: TimeAmount? {
        if !waiting.isEmpty || !held.isEmpty { return .milliseconds(100) }
        let depends = configuration.maximumAge != nil || configuration.idleTimeout != nil
        return depends && !members.isEmpty ? .seconds(1) : nil
    }
}

// MARK: - What callers do

extension PoolStateMachine {
    /// An id for the next job.
    mutating func makeJobID() -> JobID {
        counter += 1
        return JobID(rawValue: counter)
    }

    mutating func send(
        _ batch: PushBatch,
        as id: JobID,
        token: ProviderToken?,
        deadline: NIODeadline,
        whenFull: ConnectionPool.WhenFull = .giveBack,
        at now: NIODeadline
    ) -> [Action] {
        let fits = held.isEmpty && waitingCount + batch.count <= configuration.maximumWaiting
        if isShutDown || batch.count == 0 || !fits && whenFull == .giveBack {
            let failure = isShutDown ? Failure.shutDown : .queueFull
            tally.count(.notSent(failure), batch.count)
            return [.finish(id, Array(repeating: .notSent(failure), count: batch.count))]
        }
        if let token {
            tally.record(token)
            newestKey = token.keyID
        }
        let outcomes = [Outcome](repeating: .notSent(.noConnection), count: batch.count)
        jobs[id] = Job(batch: batch, token: token, deadline: deadline, outcomes: outcomes, remaining: batch.count)
        if fits {
            wait(QueuedSlice(job: id, members: .run(0..<batch.count)))
        } else {
            held.append(id)
        }
        return distribute(at: now)
    }

    mutating func cancel(_ id: JobID) -> [Action] {
        guard jobs[id] != nil else { return [] }
        return giveUpWaiting(.cancelled) { $0 == id }
            + slices.filter { $0.value.job == id }.map { .cancel($0.value.connection, $0.key) }
    }

    /// Accepts no more jobs, and optionally cancels those in flight.
    mutating func shutDown(cancelling: Bool) -> [Action] {
        isShutDown = true
        var actions: [Action] = []
        if cancelling {
            actions += giveUpWaiting(.shutDown) { _ in true }
            actions += slices.map { .cancel($0.value.connection, $0.key) }
        }
        return actions + stopIfDone()
    }

    mutating func tick(_ now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        if !waiting.isEmpty || !held.isEmpty {
            let late = Set(jobs.filter { $0.value.deadline <= now }.keys)
            if !late.isEmpty { actions += giveUpWaiting(.deadlinePassed, where: late.contains) }
            actions += distribute(at: now)
        }
        return actions + rotate(at: now)
    }
}

// MARK: - What connections do

extension PoolStateMachine {
    /// Records that a connection is ready; `jitter`, 0 through 1, spreads the ends of those that were made together.
    mutating func connectionIsReady(_ id: Connection.ID, at now: NIODeadline, jitter: Double = 0) -> [Action] {
        guard members[id]?.phase == .connecting else { return [] }
        members[id]?.phase = .ready
        members[id]?.idleSince = now
        if let age = configuration.maximumAge {
            members[id]?.expiry = now + age - .nanoseconds(Int64(Double(age.nanoseconds / 10) * min(max(jitter, 0), 1)))
        }
        return distribute(at: now) + stopIfDone()
    }

    /// Records APNs' limit of concurrent streams, which bounds how much the connection holds.
    ///
    /// The one stream before the first answer says nothing about the later limit.
    mutating func streamLimitChanged(_ id: Connection.ID, to limit: Int, at now: NIODeadline) -> [Action] {
        guard members[id] != nil else { return [] }
        let isUnproven = limit <= 1 && members[id]?.hasAnswered == false
        members[id]?.allow(isUnproven ? configuration.streams : limit, configuration)
        return distribute(at: now)
    }

    mutating func connectionDrains(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        jitter: Double
    ) -> [Action] {
        members[id]?.phase = .draining
        lastClosure = closure
        recordFailure(id, closure, at: now, jitter: jitter)
        return distribute(at: now)
    }

    /// Records the end of a connection; `jitter`, 0 through 1, is the jitter of the next attempt.
    mutating func connectionClosed(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        jitter: Double
    ) -> [Action] {
        guard members[id] != nil else { return [] }
        lastClosure = closure
        tally.count(closure)
        recordFailure(id, closure, at: now, jitter: jitter)
        let hasAnswered = members.removeValue(forKey: id)?.hasAnswered == true
        // Another attempt does not correct wrong credentials: fail at once instead of at the deadline.
        let isUnreachable = configuration.failsWhenUnreachable && closure.cause.isUnreachable && members.isEmpty
        if !hasAnswered, closure.reason?.isCredentialProblem == true || isUnreachable {
            return giveUpWaiting(.noConnection) { _ in true } + stopIfDone()
        }
        return distribute(at: now) + stopIfDone()
    }

    mutating func sliceFinished(_ id: BatchSlice.ID, _ outcomes: [Outcome], at now: NIODeadline) -> [Action] {
        guard let sending = slices.removeValue(forKey: id), var job = jobs.removeValue(forKey: sending.job) else {
            return []
        }
        members[sending.connection]?.load -= outcomes.count
        if members[sending.connection]?.load == 0 { members[sending.connection]?.idleSince = now }
        var again: [Int32] = []
        let hasTime = job.deadline > now
        for (position, outcome) in outcomes.enumerated() {
            let index = sending.members[position]
            if case .notSent(let failure) = outcome, failure.isWorthAnotherConnection, hasTime {
                again.append(Int32(truncatingIfNeeded: index))
                continue
            }
            if outcome.provesConnection { recordAnswer(sending.connection) }
            count(outcome)
            job.outcomes[index] = outcome
            job.remaining -= 1
        }
        jobs[sending.job] = job
        if !again.isEmpty { wait(QueuedSlice(job: sending.job, members: .picks(again))) }
        return finishIfDone(sending.job) + distribute(at: now) + stopIfDone()
    }

    @inline(__always)
    private mutating func count(_ outcome: Outcome) {
        tally.count(outcome)
        badTokens?.count(outcome)
    }
}
