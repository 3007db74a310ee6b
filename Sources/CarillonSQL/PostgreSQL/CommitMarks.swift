/// What a connection's transactions leave behind, so that it is known whether one was kept whose commit was not answered.
///
/// A connection has a row of its own, its slot, for as long as it lives, over all of its sessions. Each transaction that
/// writes puts its own mark there: if the row has the mark, the transaction was kept. Unlike the number of a transaction,
/// which a server that was killed gives to another one, nobody else ever has the same mark; and it is where the data is,
/// also on a standby that took over without it.
struct CommitMarks {
    /// Random: no two connections of any node share one.
    let slot = Int64.random(in: 1 ... .max)
    /// The mark of the transaction that was begun last; never 0.
    private(set) var mark = Int64.random(in: 1...Int64.max / 2)
    /// Whether the transaction has written.
    private(set) var hasWritten = false
    /// Whether the transaction has left its mark.
    private(set) var isSet = false
    /// Whether there may be a row.
    private(set) var isUsed = false
    private var wasSetAtSavepoint = false

    mutating func begin() {
        mark += 1
        (hasWritten, isSet, wasSetAtSavepoint) = (false, false, false)
    }

    mutating func noteWrite() { hasWritten = true }

    mutating func set() {
        isSet = true
        isUsed = true
    }

    mutating func setSavepoint() { wasSetAtSavepoint = isSet }

    /// What was written since the savepoint is undone, the mark too.
    mutating func undoToSavepoint() { isSet = wasSetAtSavepoint }

    // MARK: - Statements

    static let write: SQL = """
        INSERT INTO commit_marks (slot, mark, at) VALUES ($1, $2, CAST(extract(epoch FROM now()) AS BIGINT))
        ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark, at = excluded.at
        """

    /// It waits for the transaction that writes the row at this moment.
    static let read: SQL = "SELECT mark FROM commit_marks WHERE slot = $1 FOR UPDATE"

    /// Removes rows of other connections that have not written for an hour; the next write makes a row anew.
    ///
    /// A connection's own row stays: it may be asked for, and has the time at which a transaction of hours began.
    var sweep: String {
        """
        DELETE FROM commit_marks WHERE slot IN (
            SELECT slot FROM commit_marks
            WHERE at < CAST(extract(epoch FROM now()) AS BIGINT) - 3600 AND slot <> \(slot)
            ORDER BY slot LIMIT 1000 FOR UPDATE SKIP LOCKED
        )
        """
    }
}
