import CLibpq
import StoreErrors

/// `COPY`, which libpq does not support in a pipeline.
extension PostgreSQLSession {
    /// Writes rows by `COPY … FROM STDIN`.
    ///
    /// - Parameters:
    ///   - command: The statement.
    ///   - rows: The rows, in the form that the statement names.
    /// - Throws: ``PostgreSQLFailure``; nothing was copied then.
    func copy(_ command: String, _ rows: [UInt8]) throws(PostgreSQLFailure) {
        try finish()
        guard PQexitPipelineMode(connection) == 1 else { throw lose(.lost) }
        let deadline = ContinuousClock.now + answerTime
        var failure = try outcome(of: PQsendQuery(connection, command), by: deadline)
        if failure == nil {
            try put(rows, by: deadline)
            failure = try outcome(of: 1, by: deadline)
        }
        guard PQenterPipelineMode(connection) == 1 else { throw lose(failure ?? .lost) }
        if let failure { throw failure.kind == .lost ? lose(failure) : failure }
    }

    // MARK: - Private

    /// The number of bytes of one call of libpq.
    private static let copyPart = 262_144

    /// Passes rows and their end to libpq, which sends what the socket accepts.
    private func put(_ rows: [UInt8], by deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) {
        for start in stride(from: 0, to: rows.count, by: Self.copyPart) {
            let end = min(start + Self.copyPart, rows.count)
            try repeatWhileFull(by: deadline) {
                rows[start..<end].withUnsafeBytes { bytes in
                    PQputCopyData(connection, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count))
                }
            }
        }
        try repeatWhileFull(by: deadline) { PQputCopyEnd(connection, nil) }
    }

    /// Repeats a call of libpq that accepts nothing until its buffer has been sent.
    private func repeatWhileFull(
        by deadline: ContinuousClock.Instant,
        _ call: () -> Int32
    ) throws(PostgreSQLFailure) {
        while true {
            let code = call()
            guard code == 0 else { return try guardSent(code) }
            try wait(by: deadline)
        }
    }

    /// Reads the result of a command outside the pipeline, until its end or until it asks for rows.
    private func outcome(
        of code: Int32,
        by deadline: ContinuousClock.Instant
    ) throws(PostgreSQLFailure) -> PostgreSQLFailure? {
        try guardSent(code)
        var failure: PostgreSQLFailure?
        while let result = try nextResult(by: deadline) {
            defer { PQclear(result) }
            let status = PQresultStatus(result)
            if status == PGRES_COPY_IN { break }
            if failure == nil { failure = problem(result, status) }
        }
        return failure
    }
}
