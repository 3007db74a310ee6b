import CarillonEngine
import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// A write that waits.
struct WriteJob: Sendable {
    let priority: WritePriority
    /// Does the work; gives back how to answer it once it is on the disk.
    let run: @Sendable (any SQLConnection) throws(StoreError) -> @Sendable () -> Void
    /// Answers that it was not kept.
    let fail: @Sendable (StoreError) -> Void
}

/// Threads that write, on SQLite one: each takes writes that wait, runs them in one transaction, commits once and then
/// answers them all.
///
/// While it waits for the disk the next group gathers. A write that throws is undone alone: if it had written
/// something, the transaction is given up and the group's writes run again, now with a savepoint for each. They have no
/// savepoints at first because SQLite copies every page that a savepoint touches, and writes hardly ever throw. Where
/// transactions run beside each other and got in each other's way, each write of the group gets one of its own.
final class GroupCommit: Sendable {
    private struct State {
        var queue: WriteQueue<WriteJob>
        /// How long bulk writes take of late.
        var bulkTime = Duration.zero
        /// How many threads wait for work.
        var waiting = 0
        var threads = 0
        var isStopped = false
        /// Somebody wants the file for itself between two transactions.
        var pauses: [@Sendable () -> Void] = []
    }

    /// The writes of a transaction, and how to answer those that went well.
    private struct Group {
        var jobs: [WriteJob] = []
        var answers: [@Sendable () -> Void] = []
    }

    /// How long a transaction may take writes in.
    static let transactionTime = Duration.milliseconds(10)
    /// How often a write is run before others that are in its way make it fail.
    private static let attempts = 10

    private let groupLimit: Int
    private let state: NIOLockedValueBox<State>
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Prepares a writer without its threads.
    ///
    /// - Parameters:
    ///   - capacity: How many writes of each priority may wait.
    ///   - groupLimit: How many writes a transaction has at most.
    init(capacity: Int, groupLimit: Int = .max) {
        self.groupLimit = groupLimit
        state = NIOLockedValueBox(State(queue: WriteQueue(capacity: capacity)))
    }

    /// Starts a thread; it lives until ``stop()``.
    ///
    /// - Parameters:
    ///   - name: The thread's name.
    ///   - withConnection: Lends the thread's connection for as long as its closure runs, which is one transaction.
    ///   - atEnd: Runs on the thread when it ends.
    func start(
        name: String,
        withConnection: @escaping @Sendable ((any GroupCommitConnection) -> Void) -> Void,
        atEnd: @escaping @Sendable () -> Void = {}
    ) {
        state.withLockedValue { $0.threads += 1 }
        let thread = Thread { [self] in
            while waitForWork() { withConnection { runTransaction($0) } }
            atEnd()
            ended.signal()
        }
        thread.name = name
        thread.start()
    }

    /// Runs a write with the next group.
    func submit<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Value, StoreError>, Never>) in
            let job = WriteJob(
                priority: priority,
                run: { connection throws(StoreError) in
                    let value = try body(connection)
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

    /// Refuses new writes, runs those that wait, ends the threads and waits for that.
    func stop() {
        let (wasStopped, threads) = state.withLockedValue { state in
            defer { state.isStopped = true }
            return (state.isStopped, state.threads)
        }
        guard !wasStopped else { return }
        for _ in 0..<threads { signalIfWaiting() }
        for _ in 0..<threads { ended.wait() }
    }

    // MARK: - Private

    private func enqueue(_ job: WriteJob) -> StoreError? {
        let refusal: StoreError? = state.withLockedValue { state in
            guard !state.isStopped else { return .unavailable("The database is closed.") }
            let isTaken = state.queue.append(job, priority: job.priority)
            return isTaken ? nil : .unavailable("Too many writes wait already.")
        }
        if refusal == nil { signalIfWaiting() }
        return refusal
    }

    private func signalIfWaiting() {
        let mustWake = state.withLockedValue { state in
            guard state.waiting > 0 else { return false }
            state.waiting -= 1
            return true
        }
        if mustWake { wake.signal() }
    }

    /// Waits until there is a write; false when there will be none any more.
    private func waitForWork() -> Bool {
        while true {
            let (pauses, hasWork, isStopped) = state.withLockedValue { state in
                let pauses = state.pauses
                state.pauses = []
                let hasWork = !state.queue.isEmpty
                if pauses.isEmpty, !hasWork, !state.isStopped { state.waiting += 1 }
                return (pauses, hasWork, state.isStopped)
            }
            for pause in pauses { pause() }
            if hasWork { return true }
            if isStopped { return false }
            if pauses.isEmpty { wake.wait() }
        }
    }

    private func runTransaction(_ connection: any GroupCommitConnection) {
        var group = Group()
        do throws(StoreError) {
            try connection.begin(isAlone: false)
            if try runJobs(connection, &group) {
                try connection.commit()
            } else {
                connection.rollback()
                try runAgain(connection, &group)
            }
        } catch {
            let mayRunAgain = connection.mayRunAgain
            connection.rollback()
            if group.jobs.isEmpty { group.jobs = takeOne() }
            group.answers = []
            for job in group.jobs {
                if mayRunAgain { runAlone(job, connection) } else { job.fail(error) }
            }
        }
        state.withLockedValue { $0.queue.endTransaction() }
        for answer in group.answers { answer() }
    }

    /// Runs writes until the transaction's time is over.
    ///
    /// Those that it leaves in the group share the transaction's fate.
    ///
    /// - Returns: False when the last one wrote something and then threw: all of them must be run again.
    private func runJobs(_ connection: any GroupCommitConnection, _ group: inout Group) throws(StoreError) -> Bool {
        let end = ContinuousClock.now + Self.transactionTime
        while group.jobs.count < groupLimit, let job = nextJob(before: end, isFirst: group.jobs.isEmpty) {
            let begin = ContinuousClock.now
            defer { note(job, took: .now - begin) }
            connection.forgetWrites()
            defer { connection.finishStatements() }
            do throws(StoreError) {
                group.answers.append(try job.run(connection))
                group.jobs.append(job)
            } catch {
                let wrote = connection.mayHaveWritten || connection.mayRunAgain
                guard wrote || !connection.isInTransaction else {
                    job.fail(error)
                    continue
                }
                group.jobs.append(job)
                // A database that gave up the transaction by itself took all of the group with it.
                guard connection.isInTransaction else { throw error }
                return false
            }
        }
        do throws(StoreError) {
            try connection.settle()
            return true
        } catch {
            guard connection.isInTransaction else { throw error }
            return false
        }
    }

    private func nextJob(before end: ContinuousClock.Instant, isFirst: Bool) -> WriteJob? {
        state.withLockedValue { state in
            let rest = end - .now
            return state.queue.next(hasTime: rest > .zero, hasTimeForBulk: rest > state.bulkTime, isFirst: isFirst)
        }
    }

    private func note(_ job: WriteJob, took time: Duration) {
        guard job.priority == .bulk else { return }
        state.withLockedValue { $0.bulkTime = ($0.bulkTime * 3 + time) / 4 }
    }

    /// Runs the group's writes again, each with its savepoint, so that one that throws undoes only itself.
    private func runAgain(_ connection: any GroupCommitConnection, _ group: inout Group) throws(StoreError) {
        group.answers = []
        try connection.begin(isAlone: false)
        for job in group.jobs {
            try connection.setSavepoint()
            do throws(StoreError) {
                let answer = try job.run(connection)
                connection.finishStatements()
                try connection.settle()
                group.answers.append(answer)
            } catch {
                connection.finishStatements()
                guard connection.isInTransaction, !connection.mayRunAgain else { throw error }
                try connection.undoToSavepoint()
                group.answers.append { job.fail(error) }
            }
            try connection.releaseSavepoint()
        }
        try connection.commit()
    }

    /// Runs a write in a transaction of its own, and again while others are in its way.
    private func runAlone(_ job: WriteJob, _ connection: any GroupCommitConnection) {
        var failures = 0
        while true {
            do throws(StoreError) {
                try connection.begin(isAlone: true)
                let answer = try job.run(connection)
                connection.finishStatements()
                try connection.commit()
                return answer()
            } catch {
                let mayRunAgain = connection.mayRunAgain
                connection.rollback()
                failures += 1
                guard mayRunAgain, failures < Self.attempts else { return job.fail(error) }
                // At random, so that two that met do not meet again.
                Thread.sleep(forTimeInterval: .random(in: 0.001...0.02) * Double(failures))
            }
        }
    }

    /// The write that fails when no transaction can be begun at all.
    private func takeOne() -> [WriteJob] {
        state.withLockedValue { state in state.queue.next(hasTime: true, isFirst: true).map { [$0] } ?? [] }
    }
}
