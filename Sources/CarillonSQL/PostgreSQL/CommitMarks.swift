/// Marks that a connection's transactions leave, to find out whether one was committed whose commit got no answer.
///
/// Each connection has a row, its slot, over all of its sessions. Each transaction that writes puts its own mark there:
/// if the row has the mark, the transaction was committed. A transaction number would not do, because a server that was
/// killed assigns it again; marks are unique. They are stored with the data, so a standby that takes over has the right
/// ones.
struct CommitMarks {
    /// Random: no two connections of any node share one.
    let slot = Int64.random(in: 1 ... .max)
    /// The mark of the last transaction; never 0.
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

    mutating func recordWrite() { hasWritten = true }

    mutating func set() {
        isSet = true
        isUsed = true
    }

    mutating func setSavepoint() { wasSetAtSavepoint = isSet }

    /// Records that writes since the savepoint were undone, including the mark.
    mutating func undoToSavepoint() { isSet = wasSetAtSavepoint }

    // MARK: - Statements

    static let write: SQL = """
        INSERT INTO commit_marks (slot, mark, at) VALUES ($1, $2, CAST(extract(epoch FROM now()) AS BIGINT))
        ON CONFLICT (slot) DO UPDATE SET mark = excluded.mark, at = excluded.at
        """

    /// Waits for a transaction that is writing the row.
    static let read: SQL = "SELECT mark FROM commit_marks WHERE slot = $1 FOR UPDATE"

    /// Deletes rows of other connections that have not written for an hour; their next write inserts a row again.
    ///
    /// A connection's own row stays: it may be read, and it has the begin of a transaction that takes hours.
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
