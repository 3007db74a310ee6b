import CarillonEngine
import Dispatch
import Foundation
import Synchronization

/// The writer's connection, as group commit needs it.
///
/// Only the writer's thread calls it.
protocol GroupCommitConnection: SQLConnection {
    func begin() throws(StoreError)
    func commit() throws(StoreError)
    /// Undoes the transaction if there still is one.
    func rollback()
    func setSavepoint() throws(StoreError)
    func releaseSavepoint() throws(StoreError)
    func undoToSavepoint() throws(StoreError)
    /// False when the database has given up the whole transaction by itself, as SQLite does when the disk is full.
    var isInTransaction: Bool { get }
    /// Gives up rows that a write left unread.
    func finishStatements()
}

/// A write that waits.
struct WriteJob: Sendable {
    /// Does the work; gives back how to answer it once it is on the disk.
    let run: @Sendable (any SQLConnection) throws(StoreError) -> @Sendable () -> Void
    /// Answers that it was not kept.
    let fail: @Sendable (StoreError) -> Void
}

/// One thread that writes: it takes the writes that wait, runs them in one transaction with a savepoint for each,
/// commits once and then answers them all.
///
/// While it waits for the disk the next group gathers.
final class GroupCommit: Sendable {
    private struct State {
        var queue: WriteQueue<WriteJob>
        var isWaiting = false
        var isStopped = false
        /// Somebody wants the file for itself between two transactions.
        var pauses: [@Sendable () -> Void] = []
    }

    /// How long a transaction may take writes in.
    static let transactionTime = Duration.milliseconds(10)

    private let state: Mutex<State>
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Prepares a writer without its thread.
    ///
    /// - Parameter capacity: How many writes of each priority may wait.
    init(capacity: Int) {
        state = Mutex(State(queue: WriteQueue(capacity: capacity)))
    }

    /// Starts the thread; it lives until ``stop()``.
    ///
    /// - Parameters:
    ///   - name: The thread's name.
    ///   - withConnection: Lends the writer's connection for as long as its closure runs, which is one transaction.
    func start(name: String, withConnection: @escaping @Sendable ((any GroupCommitConnection) -> Void) -> Void) {
        let thread = Thread { [self] in
            while waitForWork() { withConnection { runTransaction($0) } }
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
                run: { connection throws(StoreError) in
                    let value = try body(connection)
                    return { continuation.resume(returning: .success(value)) }
                },
                fail: { error in continuation.resume(returning: .failure(error)) }
            )
            if let refusal = enqueue(job, priority: priority) { job.fail(refusal) }
        }
        return try result.get()
    }

    /// Runs a closure on the writer's thread between two transactions.
    func betweenTransactions(_ body: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.pauses.append(body) }
            return state.isStopped
        }
        if isStopped { body() } else { signalIfWaiting() }
    }

    /// Refuses new writes, runs those that wait, ends the thread and waits for that.
    func stop() {
        let wasStopped = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        guard !wasStopped else { return }
        signalIfWaiting()
        ended.wait()
    }

    // MARK: - Private

    private func enqueue(_ job: WriteJob, priority: WritePriority) -> StoreError? {
        let refusal: StoreError? = state.withLock { state in
            guard !state.isStopped else { return .unavailable("The database is closed.") }
            let isTaken = state.queue.append(job, priority: priority)
            return isTaken ? nil : .unavailable("Too many writes wait already.")
        }
        if refusal == nil { signalIfWaiting() }
        return refusal
    }

    private func signalIfWaiting() {
        let mustWake = state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustWake { wake.signal() }
    }

    /// Waits until there is a write; false when there will be none any more.
    private func waitForWork() -> Bool {
        while true {
            let (pauses, hasWork, isStopped) = state.withLock { state in
                let pauses = state.pauses
                state.pauses = []
                let hasWork = !state.queue.isEmpty
                state.isWaiting = pauses.isEmpty && !hasWork && !state.isStopped
                return (pauses, hasWork, state.isStopped)
            }
            for pause in pauses { pause() }
            if hasWork { return true }
            if isStopped { return false }
            if pauses.isEmpty { wake.wait() }
        }
    }

    private func runTransaction(_ connection: any GroupCommitConnection) {
        var answers: [@Sendable () -> Void] = []
        var jobs: [WriteJob] = []
        do throws(StoreError) {
            try connection.begin()
            try runJobs(connection, &jobs, &answers)
            try connection.commit()
        } catch {
            connection.rollback()
            if jobs.isEmpty { jobs = takeOne() }
            for job in jobs { job.fail(error) }
            answers = []
        }
        state.withLock { $0.queue.endTransaction() }
        for answer in answers { answer() }
    }

    /// Runs writes until the transaction's time is over.
    ///
    /// What it leaves in `jobs` shares the transaction's fate.
    private func runJobs(
        _ connection: any GroupCommitConnection,
        _ jobs: inout [WriteJob],
        _ answers: inout [@Sendable () -> Void]
    ) throws(StoreError) {
        let end = ContinuousClock.now + Self.transactionTime
        var count = 0
        while let job = state.withLock({ state in
            state.queue.next(hasTime: ContinuousClock.now < end, isFirst: count == 0)
        }) {
            count += 1
            jobs.append(job)
            try connection.setSavepoint()
            do throws(StoreError) {
                answers.append(try job.run(connection))
                connection.finishStatements()
            } catch {
                connection.finishStatements()
                // A database that gave up the transaction took the group's other writes with it.
                guard connection.isInTransaction else { throw error }
                try connection.undoToSavepoint()
                jobs.removeLast()
                job.fail(error)
            }
            try connection.releaseSavepoint()
        }
    }

    /// The write that fails when no transaction can be begun at all.
    private func takeOne() -> [WriteJob] {
        state.withLock { state in state.queue.next(hasTime: true, isFirst: true).map { [$0] } ?? [] }
    }
}
