import CLibpq
import Foundation
package import StoreErrors

/// A connection to PostgreSQL with its prepared statements, which reconnects after it was lost.
///
/// Only the thread that it is created for uses it.
package final class PostgreSQLConnection: GroupCommitConnection {
    /// The beginnings of statements that write no row: queries, and transaction control.
    private static let writingNothing = ["SELECT ", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"]
    private static let longestBackoff = Duration.seconds(2)

    package let dialect = Dialect.postgreSQL
    package private(set) var changedRowCount = 0
    private(set) var isInTransaction = false
    let settings: PostgreSQLSession.Settings
    var session: PostgreSQLSession?
    private var statements: [SQL.Key: PostgreSQLStatement] = [:]
    private var composed = ComposedStatements<PostgreSQLStatement>()
    /// Prepared statements to deallocate on the server.
    private var evicted: [String] = []
    private var used: [PostgreSQLStatement] = []
    private var nextName = 0
    var hasWritten = false
    var marks = CommitMarks()
    var failure: PostgreSQLFailure?
    var lastFailure: PostgreSQLFailure.Kind?
    /// Since when the session has cached plans.
    private var plannedSince = ContinuousClock.now
    /// When the next attempt to connect is allowed, and the last error.
    private var pause: (until: ContinuousClock.Instant, length: Duration, error: StoreError)?

    package init(_ settings: PostgreSQLSession.Settings) { self.settings = settings }

    // MARK: - Statements

    package func prepare(_ sql: SQL) throws(StoreError) -> any SQLStatement { try statement(sql) }

    package func prepare(_ sql: ComposedSQL) throws(StoreError) -> any SQLStatement {
        _ = try connected()
        if let known = composed.statement(sql.text) { return use(known) }
        let statement = try make(sql.text)
        if let old = composed.insert(statement, of: sql.text) { evicted.append(old.name) }
        return use(statement)
    }

    package func execute(script: String) throws(StoreError) {
        try recordWrite()
        let session = try connected()
        try attempt { () throws(PostgreSQLFailure) in try session.execute(script: script) }
    }

    /// Runs one statement of this program outside of transactions.
    func executeAlone(_ statement: String) throws(StoreError) {
        precondition(!isInTransaction, "A statement for outside of transactions was run inside one.")
        (failure, lastFailure) = (nil, nil)
        let session = try connected()
        try attempt { () throws(PostgreSQLFailure) in try session.execute(statement: statement) }
    }

    /// Writes rows by `COPY … FROM STDIN (FORMAT binary)`.
    package func copy(_ command: String, _ rows: CopiedRows) throws(StoreError) {
        try recordWrite()
        let session = try connected()
        try attempt { () throws(PostgreSQLFailure) in try session.copy(command, rows.finished()) }
    }

    /// Runs a statement with its bound values; the caller clears the result.
    func run(_ statement: PostgreSQLStatement) throws(StoreError) -> OpaquePointer {
        if !statement.isReadOnly { try recordWrite() }
        let session = try connected()
        settings.recorder?.record(statement.text, waits: true)
        let begin = StatementTimes.now
        let result = try attempt { () throws(PostgreSQLFailure) in try session.execute(statement) }
        settings.times?.note(nanoseconds: StatementTimes.now - begin) { statement.text }
        settings.recorder?.record(statement.text, rows: Int(PQntuples(result)))
        changedRowCount = result.changedRowCount
        return result
    }

    /// Sends a statement with the next one, ignoring its result.
    func send(_ statement: PostgreSQLStatement) throws(StoreError) {
        if !statement.isReadOnly { try recordWrite() }
        let session = try connected()
        settings.recorder?.record(statement.text, waits: false)
        try attempt { () throws(PostgreSQLFailure) in try session.send(statement) }
    }

    // MARK: - Group commit

    package func begin(lockTime: Duration? = nil) throws(StoreError) {
        (failure, lastFailure) = (nil, nil)
        try deallocateEvicted()
        try send(try statement("BEGIN"))
        isInTransaction = true
        try discardOldPlans()
        let session = try connected()
        if let lockTime {
            try attempt { () throws(PostgreSQLFailure) in
                try session.send(text: "SET LOCAL lock_timeout = \(max(1, lockTime.milliseconds))")
            }
        }
        marks.begin()
        // A migration may have created the table meanwhile.
        guard settings.marksCommits, !session.hasMarks else { return }
        try attempt { () throws(PostgreSQLFailure) in try session.sendMarksCheck() }
    }

    package func commit() throws(StoreError) {
        let statement = try statement("COMMIT")
        let session = try connected()
        try attempt { () throws(PostgreSQLFailure) in try session.finish() }
        guard !session.hasFailed else { throw .failed("A failed transaction cannot be committed.") }
        do throws(PostgreSQLFailure) {
            let result = try session.execute(statement)
            result.clear()
            isInTransaction = false
        } catch {
            guard error.kind == .lost else { throw record(error) }
            drop()
            isInTransaction = false
            try resolve()
        }
    }

    package func rollback() {
        finishStatements()
        defer { isInTransaction = false }
        guard isInTransaction, let session, !session.isLost else { return drop(ifLost: true) }
        // The failure has been reported already; a session that cannot roll back either is closed.
        try? session.finish()
        do throws(StoreError) { try statement("ROLLBACK").run() } catch { drop() }
    }

    func setSavepoint() throws(StoreError) {
        try statement("SAVEPOINT write_job").run()
        marks.setSavepoint()
    }

    func releaseSavepoint() throws(StoreError) { try statement("RELEASE write_job").run() }

    func undoToSavepoint() throws(StoreError) {
        try statement("ROLLBACK TO write_job").run()
        marks.undoToSavepoint()
    }

    /// Reads the results of statements that were sent without waiting, so that a failure belongs to the right write.
    package func flush() throws(StoreError) {
        guard let session else { return }
        try attempt { () throws(PostgreSQLFailure) in try session.finish() }
    }

    /// PostgreSQL aborts a transaction with its first failed statement.
    var mayHaveWritten: Bool { hasWritten || session?.hasFailed ?? true }

    func resetWrites() { hasWritten = false }

    var mayRunAgain: Bool { lastFailure == .raced || lastFailure == .lost }

    package func finishStatements() {
        for statement in used { statement.reset() }
        used.removeAll(keepingCapacity: true)
    }

    // MARK: - Reading

    /// Reads on one snapshot, without waiting for the end of the transaction.
    package func read<Value>(_ body: (any SQLConnection) throws -> Value) throws(StoreError) -> Value {
        lastFailure = nil
        do throws(StoreError) {
            try deallocateEvicted()
            try send(try statement("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
            isInTransaction = true
            try discardOldPlans()
            let value = try StoreError.wrap { try body(self) }
            finishStatements()
            let end = try statement("COMMIT")
            let session = try connected()
            try attempt { () throws(PostgreSQLFailure) in try session.sendAndForget(end) }
            isInTransaction = false
            return value
        } catch {
            rollback()
            throw error
        }
    }

    /// Ends the session.
    package func drop() { drop(ifLost: false) }

    /// Ends the session permanently.
    package func close() {
        // A row that stays is deleted by the next session of any connection.
        if marks.isUsed, let session, !session.isLost, !isInTransaction {
            try? session.execute(statement: "DELETE FROM commit_marks WHERE slot = \(marks.slot)")
        }
        drop()
    }

    // MARK: - Private

    private func drop(ifLost: Bool) {
        guard !ifLost || session?.isLost ?? false else { return }
        used.removeAll()
        statements.removeAll()
        composed = ComposedStatements()
        evicted.removeAll()
        session = nil
    }

    /// The session; opens one when there is none.
    private func connected() throws(StoreError) -> PostgreSQLSession {
        if let session, !session.isLost { return session }
        // A new session would not have the first part of the transaction.
        guard !isInTransaction else { throw record(.lost) }
        drop()
        if let pause, pause.until > .now {
            lastFailure = .lasting
            throw pause.error
        }
        do throws(StoreError) {
            let session = try PostgreSQLSession(settings)
            // Deletes marks of connections that ended without closing; unanswered commits are resolved within moments,
            // so old marks are not needed.
            if session.hasMarks { try? session.execute(statement: marks.sweep) }
            self.session = session
            pause = nil
            return session
        } catch {
            let length = min(Self.longestBackoff, (pause?.length ?? .milliseconds(50)) * 2)
            pause = (.now + length, length, error)
            lastFailure = .lasting
            throw error
        }
    }

    func statement(_ sql: SQL) throws(StoreError) -> PostgreSQLStatement {
        // First, since a new session has no prepared statements.
        _ = try connected()
        let key = sql.key
        if let known = statements[key] { return use(known) }
        let statement = try make(sql.text)
        statements[key] = statement
        return use(statement)
    }

    private func use(_ statement: PostgreSQLStatement) -> PostgreSQLStatement {
        precondition(!statement.isReading, "A statement is prepared again while its rows are being read.")
        used.append(statement)
        return statement
    }

    private func make(_ text: String) throws(StoreError) -> PostgreSQLStatement {
        let session = try connected()
        nextName += 1
        let name = "s\(nextName)"
        let description = try attempt { () throws(PostgreSQLFailure) in try session.prepare(name, text) }
        defer { description.clear() }
        let isReadOnly = Self.writingNothing.contains { text.hasPrefix($0) }
        return PostgreSQLStatement(name, text, isReadOnly: isReadOnly, description: description, of: self)
    }

    private func deallocateEvicted() throws(StoreError) {
        guard !evicted.isEmpty else { return }
        let session = try connected()
        let names = evicted
        evicted.removeAll()
        try attempt { () throws(PostgreSQLFailure) in
            for name in names { try session.send(text: "DEALLOCATE \(name)") }
            // What follows begins a transaction, which these must not be part of.
            try session.finish()
        }
    }

    /// Discards cached plans with the next statement: the server uses a plan until it analyzes one of its tables, up to
    /// a minute after the table has grown.
    private func discardOldPlans() throws(StoreError) {
        let now = ContinuousClock.now
        guard now - plannedSince >= settings.planLifetime else { return }
        plannedSince = now
        let session = try connected()
        try attempt { () throws(PostgreSQLFailure) in try session.send(text: "DISCARD PLANS") }
    }
}
