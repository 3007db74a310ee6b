import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// Transactions, each on the thread of its connection.
extension GroupCommit {
    /// The writes of a transaction, and the answers of those that succeeded.
    private struct Group {
        var jobs: [WriteJob] = []
        var answers: [@Sendable () -> Void] = []
    }

    /// How long a transaction accepts writes.
    static let transactionTime = Duration.milliseconds(10)

    func runTransaction(_ connection: any GroupCommitConnection) {
        var group = Group()
        do throws(StoreError) {
            try connection.begin(lockTime: nil)
            if try runJobs(connection, &group) {
                try connection.commit()
            } else {
                connection.rollback()
                try runAgain(connection, &group)
            }
        } catch {
            let (mayRunAgain, isBlocked) = (connection.mayRunAgain, connection.wasBlocked)
            connection.rollback()
            if group.jobs.isEmpty { group.jobs = removeOne() }
            group.answers = []
            for job in group.jobs {
                if mayRunAgain { postpone(job, error, isBlocked: isBlocked) } else { job.fail(error) }
            }
        }
        state.withLockedValue { $0.queue.endTransaction() }
        for answer in group.answers { answer() }
    }

    /// Runs a write that met another transaction before, in a transaction of its own.
    func retry(_ job: WriteJob, _ connection: any GroupCommitConnection) {
        defer { endRetry() }
        var time = WriteRetry.lockTime(after: job.failures, waiting: state.withLockedValue { $0.postponed.count })
        if let deadline = job.deadline { time = max(.milliseconds(1), min(time, deadline - .now)) }
        do throws(StoreError) {
            try connection.begin(lockTime: time)
            let answer = try job.run(connection)
            connection.finishStatements()
            try connection.commit()
            answer()
        } catch {
            let (mayRunAgain, isBlocked) = (connection.mayRunAgain, connection.wasBlocked)
            connection.rollback()
            if mayRunAgain { postpone(job, error, isBlocked: isBlocked) } else { job.fail(error) }
        }
    }

    // MARK: - Private

    /// Runs writes until the transaction's time is over.
    ///
    /// The writes left in the group are committed or undone together.
    ///
    /// - Returns: False when the last one wrote something and then threw: the group must be run again.
    private func runJobs(_ connection: any GroupCommitConnection, _ group: inout Group) throws(StoreError) -> Bool {
        let end = ContinuousClock.now + Self.transactionTime
        while group.jobs.count < groupLimit, let job = nextJob(before: end, isFirst: group.jobs.isEmpty) {
            let begin = ContinuousClock.now
            defer { record(job, took: .now - begin) }
            connection.resetWrites()
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
                return try mustRunAgain(connection, group, error)
            }
        }
        do throws(StoreError) {
            try connection.flush()
            return true
        } catch {
            return try mustRunAgain(connection, group, error)
        }
    }

    /// - Returns: False: the group must be run again at once.
    private func mustRunAgain(
        _ connection: any GroupCommitConnection,
        _ group: Group,
        _ error: StoreError
    ) throws(StoreError) -> Bool {
        // When the database has aborted the transaction itself, the whole group is affected. A single write that met a
        // lock is postponed.
        guard connection.isInTransaction, group.jobs.count > 1 || !connection.mayRunAgain else { throw error }
        return false
    }

    private func nextJob(before end: ContinuousClock.Instant, isFirst: Bool) -> WriteJob? {
        state.withLockedValue { state in
            let rest = end - .now
            return state.queue.next(hasTime: rest > .zero, hasTimeForBulk: rest > state.bulkTime, isFirst: isFirst)
        }
    }

    private func record(_ job: WriteJob, took time: Duration) {
        guard job.priority == .bulk else { return }
        state.withLockedValue { $0.bulkTime = ($0.bulkTime * 3 + time) / 4 }
    }

    /// Runs the group's writes again, each with its savepoint, so that one that throws undoes only itself.
    ///
    /// It waits only briefly for locks, because the group has waited for one already.
    private func runAgain(_ connection: any GroupCommitConnection, _ group: inout Group) throws(StoreError) {
        group.answers = []
        try connection.begin(lockTime: .milliseconds(5))
        for job in group.jobs {
            try connection.setSavepoint()
            do throws(StoreError) {
                let answer = try job.run(connection)
                connection.finishStatements()
                try connection.flush()
                group.answers.append(answer)
            } catch {
                connection.finishStatements()
                let (mayRunAgain, isBlocked) = (connection.mayRunAgain, connection.wasBlocked)
                guard connection.isInTransaction, !connection.wasLost else { throw error }
                try connection.undoToSavepoint()
                group.answers.append { [self] in
                    if mayRunAgain { postpone(job, error, isBlocked: isBlocked) } else { job.fail(error) }
                }
            }
            try connection.releaseSavepoint()
        }
        try connection.commit()
    }

    /// The write that fails when no transaction can begin.
    private func removeOne() -> [WriteJob] {
        state.withLockedValue { state in state.queue.next(hasTime: true, isFirst: true).map { [$0] } ?? [] }
    }
}
