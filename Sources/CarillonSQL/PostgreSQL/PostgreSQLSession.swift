import CLibpq
import Foundation
import StoreErrors

/// A session with a PostgreSQL server: libpq's connection in pipeline mode.
///
/// Sent statements are not awaited until a result is needed, so that a transaction's beginning, its locks and its first
/// statement are sent together. One thread at a time uses it. After a failure of the kind `lost` it is unusable.
package final class PostgreSQLSession {
    /// The settings and time limits of a session.
    package struct Settings: Sendable {
        /// A URL or a keyword string for libpq; it may contain a password and is never shown.
        var target: String
        var name = "carillon"
        var connectTime = 5
        /// Maximum time of an answer; a silent server counts as lost.
        var answerTime = Duration.seconds(30)
        /// Maximum time of a new session's first answer.
        var preparationTime = Duration.seconds(30)
        /// Maximum time to resolve a commit without an answer.
        var resolveTime = Duration.seconds(5)
        /// Maximum age of a prepared statement's plan.
        var planLifetime = Duration.seconds(10)
        /// Whether its transactions leave marks that show whether they were committed.
        var marksCommits = false
        /// Statements that set up the session.
        var preparation: [String] = []
        /// Lets another thread end the session.
        var cancellation: SessionCancellation?
        var recorder: StatementRecorder?
        /// Records the statements that take long.
        var times: StatementTimes?
    }

    /// A command whose result has not been read.
    private enum Expected {
        /// Only a failure matters.
        case done
        /// It returns whether the table of commit marks exists.
        case marksTable
        /// The result that the caller needs.
        case result
        case sync
    }

    let connection: OpaquePointer
    private(set) var answerTime: Duration
    private let cancellation: SessionCancellation?
    private var expected: [Expected] = []
    private(set) var isLost = false
    /// Whether the table of commit marks exists.
    private(set) var hasMarks = false

    /// Connects.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` with libpq's message, which names hosts and users but no password.
    init(_ settings: Settings) throws(StoreError) {
        guard let connection = Self.connect(settings) else { throw .unavailable("libpq has no memory.") }
        self.connection = connection
        answerTime = settings.preparationTime
        cancellation = settings.cancellation
        // From here on `deinit` closes it.
        guard PQstatus(connection) == CONNECTION_OK else {
            throw .unavailable("Cannot reach PostgreSQL: \(Self.words(PQerrorMessage(connection)))")
        }
        guard cancellation?.attach(connection) ?? true else { throw .unavailable("The session was cancelled.") }
        try Self.check(connection)
        // No call of libpq blocks: all waiting is done here, with a deadline.
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            throw .unavailable("Cannot prepare a session: \(Self.words(PQerrorMessage(connection)))")
        }
        do throws(PostgreSQLFailure) {
            for statement in settings.preparation { try send(text: statement) }
            if settings.marksCommits { try sendMarksCheck() }
            try finish()
        } catch {
            throw .unavailable("Cannot prepare a session: \(Self.words(PQerrorMessage(connection)))")
        }
        answerTime = settings.answerTime
    }

    deinit {
        cancellation?.detach()
        PQfinish(connection)
    }

    var socket: Int32 { PQsocket(connection) }

    /// Whether the server has aborted the transaction, or there is none.
    var hasFailed: Bool { PQtransactionStatus(connection) == PQTRANS_INERROR }

    // MARK: - Sending

    /// Sends a prepared statement with the next one, ignoring its result.
    func send(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) {
        try sendPrepared(statement)
        expected.append(.done)
    }

    /// Sends a check, with the next statement, whether the table of commit marks exists.
    func sendMarksCheck() throws(PostgreSQLFailure) {
        try send(text: "SELECT to_regclass('commit_marks') IS NOT NULL")
        expected[expected.count - 1] = .marksTable
    }

    /// Sends a statement of this program without parameters, with the next one.
    func send(text: String) throws(PostgreSQLFailure) {
        try guardSent(PQsendQueryParams(connection, text, 0, nil, nil, nil, nil, 1))
        expected.append(.done)
    }

    /// Sends a prepared statement and everything that waits before it, and reads all results.
    ///
    /// - Returns: The statement's result, which the caller clears.
    func execute(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) -> OpaquePointer {
        try sendPrepared(statement)
        expected.append(.result)
        guard let result = try awaitResult() else { throw lose(.lost) }
        return result
    }

    /// Sends a prepared statement and everything that waits before it, without waiting for the result.
    func sendAndForget(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) {
        try send(statement)
        try sync()
    }

    /// Reads all outstanding results.
    func finish() throws(PostgreSQLFailure) {
        guard !expected.isEmpty else { return }
        if let result = try awaitResult() { PQclear(result) }
    }

    /// Prepares a statement and reads its types.
    ///
    /// - Returns: The result of `PQdescribePrepared`, which the caller clears.
    func prepare(_ name: String, _ text: String) throws(PostgreSQLFailure) -> OpaquePointer {
        try guardSent(PQsendPrepare(connection, name, text, 0, nil))
        expected.append(.done)
        try guardSent(PQsendDescribePrepared(connection, name))
        expected.append(.result)
        guard let result = try awaitResult() else { throw lose(.lost) }
        return result
    }

    /// Runs statements of a script, separated by semicolons, each with the usual deadline.
    func execute(script: String) throws(PostgreSQLFailure) {
        for statement in SQLScript.statements(of: script) { try execute(statement: statement) }
    }

    /// Runs one statement of a script.
    func execute(statement: String) throws(PostgreSQLFailure) {
        guard !isLost else { throw .lost }
        // Otherwise it would share a transaction with what waits before it.
        try finish()
        try send(text: statement)
        try finish()
    }

    // MARK: - Private

    private func sendPrepared(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) {
        guard !isLost else { throw .lost }
        try guardSent(statement.send(on: connection))
    }

    func guardSent(_ code: Int32) throws(PostgreSQLFailure) {
        guard code == 1 else { throw lose(.lost) }
    }

    private func sync() throws(PostgreSQLFailure) {
        try guardSent(PQpipelineSync(connection))
        expected.append(.sync)
    }

    /// Reads all results; throws the first failure when all are read.
    ///
    /// - Returns: The result that the caller needs, if any.
    private func awaitResult() throws(PostgreSQLFailure) -> OpaquePointer? {
        if case .sync? = expected.last {} else { try sync() }
        let waiting = expected
        expected.removeAll(keepingCapacity: true)
        let deadline = ContinuousClock.now + answerTime
        var wanted: OpaquePointer?
        var failure: PostgreSQLFailure?
        do throws(PostgreSQLFailure) {
            for command in waiting {
                while let result = try nextResult(by: deadline) {
                    let status = PQresultStatus(result)
                    if status == PGRES_PIPELINE_SYNC {
                        PQclear(result)
                        break
                    }
                    if failure == nil, status != PGRES_PIPELINE_ABORTED { failure = problem(result, status) }
                    if case .result = command, status != PGRES_PIPELINE_ABORTED {
                        PQclear(wanted)
                        wanted = result
                    } else {
                        if case .marksTable = command, PQntuples(result) == 1 {
                            hasMarks = PQgetvalue(result, 0, 0)?.pointee == 1
                        }
                        PQclear(result)
                    }
                }
            }
        } catch {
            PQclear(wanted)
            throw error
        }
        guard let failure else { return wanted }
        PQclear(wanted)
        throw failure.kind == .lost ? lose(failure) : failure
    }

    func problem(_ result: OpaquePointer, _ status: ExecStatusType) -> PostgreSQLFailure? {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: nil
        default: failure(of: result)
        }
    }

    /// The next result of the command that is being read; `nil` after its last.
    func nextResult(by deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> OpaquePointer? {
        while PQisBusy(connection) == 1 { try wait(by: deadline) }
        let result = PQgetResult(connection)
        if result == nil, PQstatus(connection) != CONNECTION_OK { throw lose(.lost) }
        return result
    }

    /// Waits until the server sends data, or accepts more.
    func wait(by deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
        let unsent = PQflush(connection)
        guard unsent >= 0 else { throw lose(.lost) }
        let left = deadline - .now
        guard left > .zero else { throw lose(.late) }
        guard PQsocket(connection) >= 0 else { throw lose(.lost) }
        let events = unsent == 1 ? POLLIN | POLLOUT : POLLIN
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        let code = poll(&descriptor, 1, Int32(clamping: left.milliseconds + 1))
        if code < 0, errno == EINTR { return }
        let mayRead = descriptor.revents & ~Int16(POLLOUT) != 0
        guard code >= 0, !mayRead || PQconsumeInput(connection) == 1 else { throw lose(.lost) }
    }

    func lose(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
        isLost = true
        return failure
    }

    private func failure(of result: OpaquePointer?) -> PostgreSQLFailure {
        // 'C' and 'M' of libpq's PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which are macros.
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        return PostgreSQLFailure(SQLState(rawValue: Self.words(state)), Self.words(message))
    }

    static func words(_ text: UnsafePointer<CChar>?) -> String {
        text.map { String(cString: $0).trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    }
}
