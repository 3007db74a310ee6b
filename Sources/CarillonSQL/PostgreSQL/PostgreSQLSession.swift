import CLibpq
import Foundation
import StoreErrors

/// One session with a PostgreSQL server: libpq's connection in pipeline mode.
///
/// What is sent is not waited for until something is asked whose answer is needed, so that a transaction's beginning,
/// its locks and its first statement travel together. One thread at a time uses it. After a failure of the kind `lost`
/// it is of no use.
package final class PostgreSQLSession {
    /// How a session is made and how long it may take to answer.
    package struct Settings: Sendable {
        /// A URL or a list of words as libpq reads them; it may have a password and is never shown.
        var target: String
        var name = "carillon"
        var connectTime = 5
        /// How long an answer may take; a server that is silent for longer is given up.
        var answerTime = Duration.seconds(30)
        /// How long a new session's first answer may take.
        var preparationTime = Duration.seconds(30)
        /// For how long it is asked what became of a transaction whose commit was not answered.
        var resolveTime = Duration.seconds(5)
        /// How old a plan of a prepared statement gets.
        var planLifetime = Duration.seconds(10)
        /// Whether its transactions leave marks, by which it is known what became of them.
        var marksCommits = false
        /// What is set at the beginning, a statement each.
        var preparation: [String] = []
        /// What may end the session from another thread.
        var cancellation: SessionCancellation?
        var recorder: StatementRecorder?
    }

    /// A command whose answer has not been read.
    private enum Expected {
        /// Only whether it failed matters.
        case done
        /// It says whether the table of commit marks is there.
        case marksTable
        /// The answer that is asked for.
        case result
        case sync
    }

    let connection: OpaquePointer
    private(set) var answerTime: Duration
    private let cancellation: SessionCancellation?
    private var expected: [Expected] = []
    private(set) var isLost = false
    /// Whether the table of commit marks is there.
    private(set) var hasMarks = false

    /// Connects.
    ///
    /// - Throws: ``StoreError/unavailable(_:)`` with libpq's own words, which name hosts and users but no password.
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

    /// Whether the server has given the transaction up, or there is none.
    var hasFailed: Bool { PQtransactionStatus(connection) == PQTRANS_INERROR }

    // MARK: - Sending

    /// Sends a prepared statement whose result nobody looks at, with what is sent next.
    func send(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) {
        try sendPrepared(statement)
        expected.append(.done)
    }

    /// Asks, with what is sent next, whether the table of commit marks is there by now.
    func sendMarksCheck() throws(PostgreSQLFailure) {
        try send(text: "SELECT to_regclass('commit_marks') IS NOT NULL")
        expected[expected.count - 1] = .marksTable
    }

    /// Sends a statement of ours without parameters, with what is sent next.
    func send(text: String) throws(PostgreSQLFailure) {
        try guardSent(PQsendQueryParams(connection, text, 0, nil, nil, nil, nil, 1))
        expected.append(.done)
    }

    /// Sends a prepared statement and what waits before it, and reads everything.
    ///
    /// - Returns: The statement's result, which the caller clears.
    func execute(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) -> OpaquePointer {
        try sendPrepared(statement)
        expected.append(.result)
        guard let result = try awaitResult() else { throw lose(.lost) }
        return result
    }

    /// Sends a prepared statement and what waits before it, and does not wait for the answer.
    func sendAndForget(_ statement: PostgreSQLStatement) throws(PostgreSQLFailure) {
        try send(statement)
        try sync()
    }

    /// Reads the answers to all that was sent.
    func finish() throws(PostgreSQLFailure) {
        guard !expected.isEmpty else { return }
        if let result = try awaitResult() { PQclear(result) }
    }

    /// Has a statement prepared and learns its types.
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

    /// Runs statements that are made, separated by semicolons, each by itself and each with the usual deadline.
    func execute(script: String) throws(PostgreSQLFailure) {
        for statement in SQLScript.statements(of: script) { try execute(statement: statement) }
    }

    /// Runs one statement that is made.
    func execute(statement: String) throws(PostgreSQLFailure) {
        guard !isLost else { throw .lost }
        // What waits before it would make one transaction of both.
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

    /// Reads all answers; the first failure is thrown when all are read.
    ///
    /// - Returns: The result that is asked for, if one is.
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

    /// Waits until the server says something, or takes more of what is to be sent.
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
