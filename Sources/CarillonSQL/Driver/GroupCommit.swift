import Dispatch
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// Writer threads, one on SQLite: each takes waiting writes, runs them in one transaction, commits once and then
/// answers them all.
///
/// While it waits for the disk the next group gathers. A write that throws is undone alone: if it had written
/// something, the transaction is rolled back and the group's writes run again, each with a savepoint. The first run has
/// no savepoints, because SQLite copies every page that a savepoint touches, and writes rarely throw.
///
/// Where transactions run concurrently and one meets another's lock, its write is postponed and retried in a
/// transaction of its own, until its time is over. At most half of the threads do that, so that other writes continue.
final class GroupCommit: Sendable {
    struct State {
        var queue: WriteQueue<WriteJob>
        var postponed = PostponedWrites<WriteJob>()
        /// How many threads run postponed writes.
        var retrying = 0
        var hasRetriedLast = false
        /// The recent average duration of bulk writes.
        var bulkTime = Duration.zero
        /// How many threads are idle.
        var waiting = 0
        var threads = 0
        var isStopped = false
        /// Whether a timer for expired writes is set.
        var isWatched = false
        /// Closures that need the file to themselves between two transactions.
        var pauses: [@Sendable () -> Void] = []

        var mayRetry: Bool { retrying < max(1, threads / 2) }
    }

    /// A thread's next work.
    private enum Work {
        case group
        case retry(WriteJob)
    }

    let groupLimit: Int
    let state: NIOLockedValueBox<State>
    private let capacity: Int
    private let times: WriteTimes
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates a writer without threads.
    ///
    /// - Parameters:
    ///   - capacity: How many writes of each priority may wait.
    ///   - groupLimit: Maximum number of writes of a transaction.
    ///   - times: How long writes may wait.
    init(capacity: Int, groupLimit: Int = .max, times: WriteTimes = .unlimited) {
        self.capacity = capacity
        self.groupLimit = groupLimit
        self.times = times
        state = NIOLockedValueBox(State(queue: WriteQueue(capacity: capacity)))
    }

    /// Starts a thread, which lives until ``stop()``.
    ///
    /// - Parameters:
    ///   - name: The thread's name.
    ///   - withConnection: Lends the thread's connection while its closure runs, which is one transaction.
    ///   - atEnd: Runs on the thread when it ends.
    func start(
        name: String,
        withConnection: @escaping @Sendable ((any GroupCommitConnection) -> Void) -> Void,
        atEnd: @escaping @Sendable () -> Void = {}
    ) {
        state.withLockedValue { $0.threads += 1 }
        let thread = Thread { [self] in
            while let work = nextWork() {
                withConnection { connection in
                    switch work {
                    case .group: runTransaction(connection)
                    case .retry(let job): retry(job, connection)
                    }
                }
            }
            atEnd()
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    /// Runs a write with the next group.
    func submit<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Value, StoreError>, Never>) in
            let job = WriteJob(
                priority: priority,
                deadline: times.deadline(of: priority),
                run: { connection throws(StoreError) in
                    let value = try StoreError.wrap { try body(connection) }
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { error in continuation.resume(returning: .failure(error)) }
            )
            if let refusal = enqueue(job) { job.fail(refusal) }
        }
        return try result.get()
    }

    /// Runs a closure on the writer's thread between two transactions.
    func betweenTransactions(_ body: @escaping @Sendable () -> Void) {
        let isStopped = state.withLockedValue { state in
            if !state.isStopped { state.pauses.append(body) }
            return state.isStopped
        }
        if isStopped { body() } else { signalIfWaiting() }
    }

    /// Refuses new writes, runs the waiting ones, and waits until the threads end.
    func stop() {
        let (wasStopped, threads) = state.withLockedValue { state in
            defer { state.isStopped = true }
            return (state.isStopped, state.threads)
        }
        guard !wasStopped else { return }
        for _ in 0..<threads { signalIfWaiting() }
        for _ in 0..<threads { ended.wait() }
    }

    /// Postpones a write that met another transaction, or fails it when its time is over.
    func postpone(_ job: WriteJob, _ error: StoreError, isBlocked: Bool) {
        var job = job
        job.failures += 1
        let pause = WriteRetry.pause(after: job.failures, share: .random(in: 0...1))
        let ready = ContinuousClock.now + pause
        // Only a wait for a lock may use the write's whole time.
        let isTaken = state.withLockedValue { state in
            guard isBlocked && job.deadline != nil || job.failures < WriteRetry.attempts,
                !job.isOver(at: ready), state.postponed.count < capacity
            else { return false }
            state.postponed.append(job, failures: job.failures, ready: ready)
            return true
        }
        guard isTaken else { return job.fail(error) }
        watch()
        signal(after: pause)
    }

    /// Records that a thread has run a postponed write; another may run the next.
    func endRetry() {
        let isNext = state.withLockedValue { state in
            state.retrying -= 1
            return !state.postponed.isEmpty
        }
        if isNext { signalIfWaiting() }
    }

    // MARK: - Private

    private func enqueue(_ job: WriteJob) -> StoreError? {
        let refusal: StoreError? = state.withLockedValue { state in
            guard !state.isStopped else { return .unavailable("The database is closed.") }
            let isTaken = state.queue.append(job, priority: job.priority)
            return isTaken ? nil : .unavailable("Too many writes wait already.")
        }
        if refusal == nil {
            signalIfWaiting()
            if job.deadline != nil { watch() }
        }
        return refusal
    }

    /// Wakes a thread when a postponed write is due.
    ///
    /// A semaphore's timeout uses the wall clock on Linux: when that is set back, the wait becomes longer. A queue's
    /// timer does not have that problem.
    private func signal(after pause: Duration) {
        // A timer may fire early by less than a microsecond.
        let deadline = DispatchTime.now() + .microseconds(Int(pause / .microseconds(1)) + 1)
        DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.signalIfWaiting() }
    }

    private func signalIfWaiting() {
        let mustWake = state.withLockedValue { state in
            guard state.waiting > 0 else { return false }
            state.waiting -= 1
            return true
        }
        if mustWake { wake.signal() }
    }

    /// Waits for work; `nil` when there will be none any more.
    private func nextWork() -> Work? {
        while true {
            let (pauses, work, isOver) = state.withLockedValue { state in
                let pauses = state.pauses
                state.pauses = []
                let work = chooseWork(&state)
                let isOver = state.isStopped && state.queue.isEmpty && state.postponed.isEmpty
                if pauses.isEmpty, work == nil, !isOver { state.waiting += 1 }
                return (pauses, work, isOver)
            }
            for pause in pauses { pause() }
            if let work { return work }
            if isOver {
                // Passes the signal on to the next waiting thread.
                signalIfWaiting()
                return nil
            }
            if pauses.isEmpty { wake.wait() }
        }
    }

    private func chooseWork(_ state: inout State) -> Work? {
        let isTurn = state.queue.isEmpty || !state.hasRetriedLast
        if state.mayRetry, isTurn, let job = state.postponed.popFirst(at: .now) {
            state.retrying += 1
            state.hasRetriedLast = true
            return .retry(job)
        }
        guard !state.queue.isEmpty else { return nil }
        state.hasRetriedLast = false
        return .group
    }

    /// Fails writes when their time is over, even if all threads are busy.
    private func watch() {
        let isNew = state.withLockedValue { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isNew { watchLater() }
    }

    private func watchLater() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            let now = ContinuousClock.now
            let (over, goesOn) = state.withLockedValue { state in
                let over =
                    state.queue.removeFirst { $0.isOver(at: now) }
                    + state.postponed.remove { $0.isOver(at: now) }
                state.isWatched = !state.queue.isEmpty || !state.postponed.isEmpty
                return (over, state.isWatched)
            }
            // A thread may be waiting for these last writes before it ends.
            if !over.isEmpty { signalIfWaiting() }
            for job in over { job.fail(.unavailable("Other writes were in the way for too long.")) }
            if goesOn { watchLater() }
        }
    }
}
