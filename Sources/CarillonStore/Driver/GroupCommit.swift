import CarillonEngine
import Dispatch
import Foundation
import NIOConcurrencyHelpers

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
    /// Whether anything may have been written since ``forgetWrites()``.
    var mayHaveWritten: Bool { get }
    func forgetWrites()
}

/// A write that waits.
struct WriteJob: Sendable {
    /// Does the work; gives back how to answer it once it is on the disk.
    let run: @Sendable (any SQLConnection) throws(StoreError) -> @Sendable () -> Void
    /// Answers that it was not kept.
    let fail: @Sendable (StoreError) -> Void
}

/// One thread that writes: it takes the writes that wait, runs them in one transaction, commits once and then answers
/// them all.
///
/// While it waits for the disk the next group gathers. A write that throws is undone alone: if it had written
/// something, the transaction is given up and the group's writes run again, now with a savepoint for each. They have no
/// savepoints at first because SQLite copies every page that a savepoint touches, and writes hardly ever throw.
final class GroupCommit: Sendable {
    private struct State {
        var queue: WriteQueue<WriteJob>
        var isWaiting = false
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

    private let state: NIOLockedValueBox<State>
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Prepares a writer without its thread.
    ///
    /// - Parameter capacity: How many writes of each priority may wait.
    init(capacity: Int) {
        state = NIOLockedValueBox(State(queue: WriteQueue(capacity: capacity)))
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
        let isStopped = state.withLockedValue { state in
            if !state.isStopped { state.pauses.append(body) }
            return state.isStopped
        }
        if isStopped { body() } else { signalIfWaiting() }
    }

    /// Refuses new writes, runs those that wait, ends the thread and waits for that.
    func stop() {
        let wasStopped = state.withLockedValue { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        guard !wasStopped else { return }
        signalIfWaiting()
        ended.wait()
    }

    // MARK: - Private

    private func enqueue(_ job: WriteJob, priority: WritePriority) -> StoreError? {
        let refusal: StoreError? = state.withLockedValue { state in
            guard !state.isStopped else { return .unavailable("The database is closed.") }
            let isTaken = state.queue.append(job, priority: priority)
            return isTaken ? nil : .unavailable("Too many writes wait already.")
        }
        if refusal == nil { signalIfWaiting() }
        return refusal
    }

    private func signalIfWaiting() {
        let mustWake = state.withLockedValue { state in
            defer { state.isWaiting = false }
            return state.isWaiting
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
        var group = Group()
        do throws(StoreError) {
            try connection.begin()
            if try runJobs(connection, &group) {
                try connection.commit()
            } else {
                connection.rollback()
                try runAgain(connection, &group)
            }
        } catch {
            connection.rollback()
            if group.jobs.isEmpty { group.jobs = takeOne() }
            for job in group.jobs { job.fail(error) }
            group.answers = []
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
        while let job = state.withLockedValue({ state in
            state.queue.next(hasTime: ContinuousClock.now < end, isFirst: group.jobs.isEmpty)
        }) {
            connection.forgetWrites()
            defer { connection.finishStatements() }
            do throws(StoreError) {
                group.answers.append(try job.run(connection))
                group.jobs.append(job)
            } catch {
                let wrote = connection.mayHaveWritten
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
        return true
    }

    /// Runs the group's writes again, each with its savepoint, so that one that throws undoes only itself.
    private func runAgain(_ connection: any GroupCommitConnection, _ group: inout Group) throws(StoreError) {
        group.answers = []
        try connection.begin()
        for job in group.jobs {
            try connection.setSavepoint()
            do throws(StoreError) {
                group.answers.append(try job.run(connection))
                connection.finishStatements()
            } catch {
                connection.finishStatements()
                guard connection.isInTransaction else { throw error }
                try connection.undoToSavepoint()
                group.answers.append { job.fail(error) }
            }
            try connection.releaseSavepoint()
        }
        try connection.commit()
    }

    /// The write that fails when no transaction can be begun at all.
    private func takeOne() -> [WriteJob] {
        state.withLockedValue { state in state.queue.next(hasTime: true, isFirst: true).map { [$0] } ?? [] }
    }
}
