import Foundation
import StoreErrors

/// What transactions leave behind, and what became of one whose commit was not answered.
extension PostgreSQLConnection {
    /// Notes that the transaction writes, and has it leave its mark first, with the statement that is sent next.
    ///
    /// The mark's answer is read before the commit is sent. From then on the row is locked until the transaction ends, so
    /// that whoever reads it waits for the end.
    func noteWrite() throws(StoreError) {
        hasWritten = true
        guard isInTransaction, !marks.isSet else { return }
        marks.noteWrite()
        guard let session, session.hasMarks else { return }
        marks.set()
        let statement = try statement(CommitMarks.write)
        statement.bind(marks.slot, at: 1)
        statement.bind(marks.mark, at: 2)
        try attempt { () throws(PostgreSQLFailure) in try session.send(statement) }
    }

    /// Finds out what became of a transaction whose commit was not answered.
    ///
    /// - Throws: ``StoreError`` when it was not kept, in which case it may be run again, or when nobody can say.
    func resolve() throws(StoreError) {
        guard marks.hasWritten else { return }
        let deadline = ContinuousClock.now + settings.resolveTime
        while marks.isSet, ContinuousClock.now < deadline {
            switch foundMark() {
            case .some(marks.mark): return
            case .some:
                (failure, lastFailure) = (.lost, .lost)
                throw PostgreSQLFailure.lost.error
            // The old session is not over yet, or the server is not back yet.
            case .none: Thread.sleep(forTimeInterval: 0.05)
            }
        }
        lastFailure = .lasting
        throw .unavailable(
            "The connection to the database broke during a commit, which may or may not have been kept."
        )
    }

    /// The mark that this connection's last transaction left, which waits until the old session is over.
    ///
    /// - Returns: `nil` when it cannot be read; 0 when there is none.
    private func foundMark() -> Int64? {
        defer { finishStatements() }
        do throws(StoreError) { return try first(CommitMarks.read, marks.slot) { $0.int64(0) } ?? 0 } catch {
            return nil
        }
    }
}
