import StoreErrors

/// The writer's connection, as group commit needs it.
///
/// Only the writer's thread calls it.
protocol GroupCommitConnection: SQLConnection {
    /// Begins a transaction.
    ///
    /// - Parameter lockTime: How long each of its statements waits for others' locks; `nil` is the connection's usual
    ///   time. It is short: in whatever order the writes take their locks, somebody else may take them the other way
    ///   round.
    /// - Throws: ``StoreError``; there is no transaction then.
    func begin(lockTime: Duration?) throws(StoreError)
    func commit() throws(StoreError)
    /// Undoes the transaction if there still is one.
    func rollback()
    func setSavepoint() throws(StoreError)
    func releaseSavepoint() throws(StoreError)
    func undoToSavepoint() throws(StoreError)
    /// False when the database has given up the whole transaction by itself, as SQLite does when the disk is full, or
    /// the connection was lost.
    var isInTransaction: Bool { get }
    /// Waits for statements that were sent and not waited for.
    func flush() throws(StoreError)
    /// Whether the last failure came of another transaction, or of a connection that was lost before the commit: then
    /// nothing was kept, and the same writes may well succeed the next time.
    var mayRunAgain: Bool { get }
    /// Whether the last failure was another transaction's lock.
    var wasBlocked: Bool { get }
    /// Whether the last failure was the connection's.
    var wasLost: Bool { get }
    /// Gives up rows that a write left unread.
    func finishStatements()
    /// Whether anything may have been written since ``forgetWrites()``.
    var mayHaveWritten: Bool { get }
    func forgetWrites()
}
