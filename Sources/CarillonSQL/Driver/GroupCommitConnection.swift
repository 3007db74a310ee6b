import StoreErrors

/// The writer's connection, as group commit uses it.
///
/// Only the writer's thread calls it.
protocol GroupCommitConnection: SQLConnection {
    /// Begins a transaction.
    ///
    /// - Parameter lockTime: How long each of its statements waits for locks; `nil` is the connection's default. It is
    ///   short, because another transaction may take the same locks in another order.
    /// - Throws: ``StoreError``; there is no transaction then.
    func begin(lockTime: Duration?) throws(StoreError)
    func commit() throws(StoreError)
    /// Undoes the transaction if there is one.
    func rollback()
    func setSavepoint() throws(StoreError)
    func releaseSavepoint() throws(StoreError)
    func undoToSavepoint() throws(StoreError)
    /// False when the database has aborted the whole transaction, as SQLite does when the disk is full, or the
    /// connection was lost.
    var isInTransaction: Bool { get }
    /// Waits for the results of statements that were sent without waiting.
    func flush() throws(StoreError)
    /// Whether another transaction caused the last failure, or a connection that was lost before the commit: then
    /// nothing was committed, and the same writes may succeed the next time.
    var mayRunAgain: Bool { get }
    /// Whether another transaction's lock caused the last failure.
    var wasBlocked: Bool { get }
    /// Whether the connection caused the last failure.
    var wasLost: Bool { get }
    /// Discards rows that a write left unread.
    func finishStatements()
    /// Whether anything may have been written since ``resetWrites()``.
    var mayHaveWritten: Bool { get }
    func resetWrites()
}
