import Foundation
import StoreErrors

/// Marks of transactions, and the outcome of one whose commit got no answer.
extension PostgreSQLConnection {
    /// Records that the transaction writes, and sends its mark first, with the next statement.
    ///
    /// The mark's answer is read before the commit is sent. From then on the row is locked until the transaction ends,
    /// so that reading it waits for the end.
    func recordWrite() throws(StoreError) {
        hasWritten = true
        guard isInTransaction, !marks.isSet else { return }
        marks.recordWrite()
        guard let session, session.hasMarks else { return }
        marks.set()
        let statement = try statement(CommitMarks.write)
        statement.bind(marks.slot, at: 1)
        statement.bind(marks.mark, at: 2)
        try attempt { () throws(PostgreSQLFailure) in try session.send(statement) }
    }

    /// Determines the outcome of a transaction whose commit got no answer.
    ///
    /// - Throws: ``StoreError`` when it was not committed, in which case it may be run again, or when the outcome
    ///   cannot be determined.
    func resolve() throws(StoreError) {
        guard marks.hasWritten else { return }
        let deadline = ContinuousClock.now + settings.resolveTime
        while marks.isSet, ContinuousClock.now < deadline {
            switch foundMark() {
            case .some(marks.mark): return
            case .some:
                (failure, lastFailure) = (.lost, .lost)
                throw PostgreSQLFailure.lost.error
            // The old session has not ended yet, or the server is not available yet.
            case .none: Thread.sleep(forTimeInterval: 0.05)
            }
        }
        lastFailure = .lasting
        throw .unavailable(
            "The connection to the database broke during a commit, whose outcome is unknown."
        )
    }

    /// Reads the mark of this connection's last transaction, which waits until the old session has ended.
    ///
    /// - Returns: `nil` when it cannot be read; 0 when there is none.
    private func foundMark() -> Int64? {
        defer { finishStatements() }
        do throws(StoreError) { return try first(CommitMarks.read, marks.slot) { $0.int64(0) } ?? 0 } catch {
            return nil
        }
    }
}
