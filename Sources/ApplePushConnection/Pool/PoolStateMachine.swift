import ApplePush
import NIOCore

/// Decides which connection sends what, and when to connect.
///
/// A pure value; the clock and the dice are arguments.
///
/// The rules it guards:
/// - what a connection gives back unsent goes to another one, until the job's deadline;
/// - there is never more than one connection being made, nor more than so many in all;
/// - a connection that ends without having answered anything makes the next attempt wait, longer each time;
/// - a job has one outcome for each notification, in order, and is finished once.
struct PoolStateMachine {
    struct Configuration: Sendable {
        var maximumConnections = 4
        /// How many notifications may wait for a connection.
        var maximumWaiting = 500_000
        /// How many a connection holds, so that it never runs dry and yet others get their share.
        var watermark = 4096
        var lotSize = 1024
        var firstBackoff = TimeAmount.milliseconds(250)
        var longestBackoff = TimeAmount.seconds(30)
    }

    struct JobID: Hashable, Sendable {
        let rawValue: Int
    }

    enum Action: Sendable {
        case connect(Connection.ID)
        case offer(Connection.ID, Lot)
        case cancel(Connection.ID, Lot.ID)
        case drain(Connection.ID)
        case finish(JobID, [Outcome])
        /// Shut down, and every connection closed.
        case stopped
    }

    /// One call of `send`.
    struct Job {
        let batch: PushBatch
        let token: ProviderToken?
        let deadline: NIODeadline
        var outcomes: [Outcome]
        var remaining: Int
    }

    /// Notifications that wait for a connection.
    struct Piece {
        let job: JobID
        var members: Lot.Members
    }

    struct Sending {
        let job: JobID
        let members: Lot.Members
        let connection: Connection.ID
    }

    struct Member {
        enum Phase { case connecting, ready, draining }
        var phase = Phase.connecting
        var load = 0
        var hasAnswered = false
        var hasFailed = false
    }

    let configuration: Configuration
    var jobs: [JobID: Job] = [:]
    var waiting = CircularBuffer<Piece>()
    var waitingCount = 0
    var lots: [Lot.ID: Sending] = [:]
    var members: [Connection.ID: Member] = [:]
    var counter = 0
    var failures = 0
    var nextConnect = NIODeadline.uptimeNanoseconds(0)
    var isShutDown = false
    var hasStopped = false
    /// Why the last connection ended.
    var lastClosure: ConnectionClosure?

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    var connectionCount: Int { members.count }
    var readyCount: Int { members.values.count { $0.phase == .ready } }
    var inFlight: Int { members.values.reduce(0) { $0 + $1.load } }
}

// MARK: - What callers do

extension PoolStateMachine {
    /// A name for the next job.
    mutating func makeJobID() -> JobID {
        counter += 1
        return JobID(rawValue: counter)
    }

    mutating func send(
        _ batch: PushBatch,
        as id: JobID,
        token: ProviderToken?,
        deadline: NIODeadline,
        at now: NIODeadline
    ) -> [Action] {
        if isShutDown || waitingCount + batch.count > configuration.maximumWaiting || batch.count == 0 {
            let failure = isShutDown ? Failure.shutDown : .queueFull
            return [.finish(id, Array(repeating: .notSent(failure), count: batch.count))]
        }
        let outcomes = [Outcome](repeating: .notSent(.noConnection), count: batch.count)
        jobs[id] = Job(batch: batch, token: token, deadline: deadline, outcomes: outcomes, remaining: batch.count)
        wait(Piece(job: id, members: .run(0..<batch.count)))
        return distribute(at: now)
    }

    mutating func cancel(_ id: JobID) -> [Action] {
        guard jobs[id] != nil else { return [] }
        return giveUpWaiting(.cancelled) { $0 == id }
            + lots.filter { $0.value.job == id }.map { .cancel($0.value.connection, $0.key) }
    }

    /// Takes no more jobs, and ends those under way if asked to.
    mutating func shutDown(cancelling: Bool) -> [Action] {
        isShutDown = true
        var actions: [Action] = []
        if cancelling {
            actions += giveUpWaiting(.shutDown) { _ in true }
            actions += lots.map { .cancel($0.value.connection, $0.key) }
        }
        return actions + stopIfDone()
    }

    mutating func tick(_ now: NIODeadline) -> [Action] {
        var actions: [Action] = []
        if !waiting.isEmpty {
            let late = Set(jobs.filter { $0.value.deadline <= now }.keys)
            if !late.isEmpty { actions += giveUpWaiting(.deadlinePassed, where: late.contains) }
            actions += distribute(at: now)
        }
        return actions
    }
}

// MARK: - What connections do

extension PoolStateMachine {
    mutating func connectionIsReady(_ id: Connection.ID, at now: NIODeadline) -> [Action] {
        members[id]?.phase = .ready
        return distribute(at: now) + stopIfDone()
    }

    mutating func connectionDrains(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        dice: Double
    ) -> [Action] {
        members[id]?.phase = .draining
        lastClosure = closure
        noteFailure(id, closure, at: now, dice: dice)
        return distribute(at: now)
    }

    /// Takes the end of a connection; `dice`, 0 through 1, is the jitter of the next attempt.
    mutating func connectionClosed(
        _ id: Connection.ID,
        _ closure: ConnectionClosure,
        at now: NIODeadline,
        dice: Double
    ) -> [Action] {
        guard members[id] != nil else { return [] }
        lastClosure = closure
        noteFailure(id, closure, at: now, dice: dice)
        let hasAnswered = members.removeValue(forKey: id)?.hasAnswered == true
        // Wrong credentials do not mend by trying again: say so at once instead of at the deadline.
        if !hasAnswered, closure.reason?.isCredentialProblem == true {
            return giveUpWaiting(.noConnection) { _ in true } + stopIfDone()
        }
        return distribute(at: now) + stopIfDone()
    }

    mutating func lotFinished(_ id: Lot.ID, _ outcomes: [Outcome], at now: NIODeadline) -> [Action] {
        guard let sending = lots.removeValue(forKey: id), var job = jobs.removeValue(forKey: sending.job) else {
            return []
        }
        members[sending.connection]?.load -= outcomes.count
        var again: [Int32] = []
        let hasTime = job.deadline > now
        for (position, outcome) in outcomes.enumerated() {
            let index = sending.members[position]
            if case .notSent(let failure) = outcome, failure.isWorthAnotherConnection, hasTime {
                again.append(Int32(truncatingIfNeeded: index))
                continue
            }
            if !outcome.isFailure { noteAnswer(sending.connection) }
            job.outcomes[index] = outcome
            job.remaining -= 1
        }
        jobs[sending.job] = job
        if !again.isEmpty { wait(Piece(job: sending.job, members: .picks(again))) }
        return finishIfDone(sending.job) + distribute(at: now) + stopIfDone()
    }
}
