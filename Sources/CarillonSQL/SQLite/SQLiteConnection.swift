import Foundation
import GRDBSQLite
package import StoreErrors

/// One of GRDB's SQLite connections with its prepared statements.
///
/// Only the thread that has the connection from GRDB uses it.
package final class SQLiteConnection: GroupCommitConnection {
    let handle: OpaquePointer
    private var statements: [SQL.Key: SQLiteStatement] = [:]
    private var composed = ComposedStatements<SQLiteStatement>()
    private var used: [SQLiteStatement] = []
    private let recorder: StatementRecorder?
    private let times: StatementTimes?
    private var readDeadline: ContinuousClock.Instant?

    package let dialect = Dialect.sqlite
    private(set) var mayHaveWritten = false

    /// - Parameters:
    ///   - handle: SQLite's connection.
    ///   - recorder: Records statements.
    ///   - times: Notes what takes long.
    ///   - functions: Registers functions on the connection.
    package init(
        _ handle: OpaquePointer,
        recorder: StatementRecorder? = nil,
        times: StatementTimes? = nil,
        functions: (OpaquePointer) -> Void
    ) {
        self.handle = handle
        self.recorder = recorder
        self.times = times
        functions(handle)
    }

    package var changedRowCount: Int { Int(sqlite3_changes(handle)) }
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    package func prepare(_ sql: SQL) throws(StoreError) -> any SQLStatement {
        try statement(sql)
    }

    package func prepare(_ sql: ComposedSQL) throws(StoreError) -> any SQLStatement {
        if let statement = composed.statement(sql.text) { return reused(statement) }
        let statement = try make(sql.text)
        composed.insert(statement, of: sql.text)
        return statement
    }

    /// One transaction writes at a time in any case.
    package func lock(_ lock: WriteLock) throws(StoreError) {}
    package func lock(_ locks: Set<WriteLock>) throws(StoreError) {}

    package func execute(script: String) throws(StoreError) {
        mayHaveWritten = true
        guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw StoreError(sqlite: handle) }
    }

    // MARK: - Group commit

    func begin(lockTime: Duration?) throws(StoreError) { try statement("BEGIN IMMEDIATE").run() }
    func commit() throws(StoreError) { try statement("COMMIT").run() }
    func setSavepoint() throws(StoreError) { try statement("SAVEPOINT write_job").run() }
    func releaseSavepoint() throws(StoreError) { try statement("RELEASE write_job").run() }

    func undoToSavepoint() throws(StoreError) { try statement("ROLLBACK TO write_job").run() }

    package func rollback() {
        finishStatements()
        guard isInTransaction else { return }
        // It fails only when there is nothing to undo any more.
        try? statement("ROLLBACK").run()
    }

    func flush() throws(StoreError) {}

    /// No other transaction writes.
    var mayRunAgain: Bool { false }
    var wasBlocked: Bool { false }
    var wasLost: Bool { false }

    func resetWrites() { mayHaveWritten = false }

    package func finishStatements() {
        for statement in used { statement.finish() }
        used.removeAll(keepingCapacity: true)
    }

    // MARK: - Reading

    /// Interrupts a read that exceeds a time limit, which is checked every few thousand steps of the statement.
    package func limitTime<Value, Failure: Error>(
        to duration: Duration,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        readDeadline = .now + duration
        sqlite3_progress_handler(
            handle,
            20_000,
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
                return connection.readDeadline.map { $0 < .now } == true ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try body()
    }

    // MARK: - Private

    private func statement(_ sql: SQL) throws(StoreError) -> SQLiteStatement {
        let key = sql.key
        if let statement = statements[key] { return reused(statement) }
        let statement = try make(sql.text)
        statements[key] = statement
        return statement
    }

    private func make(_ text: String) throws(StoreError) -> SQLiteStatement {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw StoreError(sqlite: handle) }
        let statement = SQLiteStatement(pointer, connection: handle, recorder: recorder, times: times)
        markUsed(statement)
        return statement
    }

    private func reused(_ statement: SQLiteStatement) -> SQLiteStatement {
        precondition(!statement.isReading, "A statement is prepared again while its rows are being read.")
        markUsed(statement)
        return statement
    }

    private func markUsed(_ statement: SQLiteStatement) {
        guard !statement.isUsed else { return }
        statement.isUsed = true
        if !statement.isReadOnly { mayHaveWritten = true }
        used.append(statement)
    }
}
