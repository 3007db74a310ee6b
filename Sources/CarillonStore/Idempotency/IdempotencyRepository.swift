import CarillonEngine
import CarillonModel
import CarillonSQL

/// The columns of `idempotency_keys`, first those of the answer.
private enum IdempotencyColumn: Int, SQLColumn {
    case fingerprint, status, contentType, location, body, principal, idempotencyKey, startedAt
}

/// Idempotency keys in SQL.
struct IdempotencyRepository: IdempotencyStore {
    let database: any Database

    func start(_ key: IdempotencyKey) async throws(StoreError) -> IdempotencyStart {
        try await database.read { connection in
            let known = try connection.first(
                """
                SELECT \(IdempotencyColumn.list(through: .body)) FROM idempotency_keys
                WHERE principal = $1 AND idempotency_key = $2 AND started_at >= $3
                """,
                key.principal,
                key.key,
                key.forgetBefore
            ) { (row: SQLRow<IdempotencyColumn>) -> IdempotencyStart in
                guard try row[.fingerprint] as [UInt8] == key.fingerprint else { return .mismatch }
                guard let status: Int = try row[.status] else { return .inProgress }
                return .replay(
                    StoredAnswer(
                        status: status,
                        contentType: try row[.contentType],
                        location: try row[.location],
                        body: try row[.body]
                    )
                )
            }
            return known ?? .new
        }
    }
}

extension IdempotencyTable {
    /// Begins what a request creates: of two transactions with one key the second waits for the first, also when nobody
    /// knows what became of that.
    ///
    /// It comes before all other locks, and costs no round trip.
    ///
    /// - Parameter request: The request; `nil` when it has no key.
    /// - Throws: ``StoreError``.
    func begin<Value>(_ request: IdempotentRequest<Value>?) throws {
        guard let key = request?.key else { return }
        try connection.lock(.request(principal: key.principal, key: key.key))
    }

    /// Keeps the answer to a request with what it creates.
    ///
    /// - Parameters:
    ///   - request: The request; `nil` when it has no key.
    ///   - value: What it creates.
    /// - Throws: ``StoreError/repeated`` when another transaction has answered the key, and then this one must not be
    ///   kept.
    func complete<Value>(_ request: IdempotentRequest<Value>?, _ value: Value) throws {
        guard let request else { return }
        let key = request.key
        let answer = try request.answer(for: value)
        try forgetIdempotencyKeys(before: key.forgetBefore)
        let statement = try connection.prepare(
            """
            INSERT INTO idempotency_keys (\(IdempotencyColumn.list)) VALUES (\(IdempotencyColumn.parameters))
            ON CONFLICT (principal, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
                started_at = excluded.started_at, status = excluded.status, content_type = excluded.content_type,
                location = excluded.location, body = excluded.body
            WHERE idempotency_keys.started_at < $9
            """
        )
        let row = SQLParameters<IdempotencyColumn>(statement)
        row.bind(key.fingerprint, to: .fingerprint)
        row.bind(answer.status, to: .status)
        row.bind(answer.contentType, to: .contentType)
        row.bind(answer.location, to: .location)
        row.bind(answer.body, to: .body)
        row.bind(key.principal, to: .principal)
        row.bind(key.key, to: .idempotencyKey)
        row.bind(key.now, to: .startedAt)
        key.forgetBefore.bind(to: statement, at: 9)
        try statement.run()
        guard connection.changedRowCount > 0 else { throw StoreError.repeated }
    }

    /// Forgets a few old keys; each new one brings this about, so that they never pile up.
    private func forgetIdempotencyKeys(before: Timestamp) throws {
        try connection.send(
            connection.dialect.pick(
                sqlite: """
                    DELETE FROM idempotency_keys WHERE (principal, idempotency_key) IN (
                        SELECT principal, idempotency_key FROM idempotency_keys
                        WHERE started_at < $1 ORDER BY started_at LIMIT 8
                    )
                    """,
                // Those that another node is about to forget are its affair.
                postgreSQL: """
                    DELETE FROM idempotency_keys WHERE (principal, idempotency_key) IN (
                        SELECT principal, idempotency_key FROM idempotency_keys
                        WHERE started_at < $1 ORDER BY started_at LIMIT 8 FOR UPDATE SKIP LOCKED
                    )
                    """
            ),
            before
        )
    }
}
