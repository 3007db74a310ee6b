import CarillonEngine
import CarillonModel
import CarillonSQL

/// The list of what is tried again, in sets.
extension PostgreSQLOutcomes {
    /// Puts notifications on the list of retries, but for those that are over.
    ///
    /// A commit whose answer was lost may come again after somebody else has sent what it had put there.
    ///
    /// - Returns: How many are new.
    /// - Throws: ``StoreError``.
    func saveRetries() throws -> Int {
        let statement = try arrays(
            """
            INSERT INTO retries (\(RetryColumn.list))
            SELECT $1, $2, u.device, u.push, u.due, u.attempts
            FROM unnest(CAST($3 AS BIGINT[]), CAST($4 AS SMALLINT[]), CAST($5 AS BIGINT[]), CAST($6 AS SMALLINT[]))
                AS u (device, push, due, attempts)
            LEFT JOIN LATERAL (
                SELECT 1 AS found FROM deliveries x WHERE x.app_id = $1 AND x.occurrence_id = $2
                    AND x.device_number = u.device AND x.push_type = u.push LIMIT 1) AS d ON TRUE
            WHERE d.found IS NULL
            ON CONFLICT DO NOTHING
            """
        )
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        bindRetries(to: statement, from: 3)
        try statement.run()
        return connection.changedRowCount
    }

    /// Notes when the next attempt of notifications is that are on the list.
    ///
    /// - Parameters:
    ///   - after: The place in the list after which they are.
    ///   - through: The last place where they may be.
    /// - Throws: ``StoreError``.
    func postponeRetries(after: RetryPosition, through: RetryPosition) throws {
        let statement = try prepareRetries(
            """
            UPDATE retries AS r SET due_at = u.due, attempts = u.attempts
            FROM unnest(CAST($7 AS BIGINT[]), CAST($8 AS SMALLINT[]), CAST($9 AS BIGINT[]), CAST($10 AS SMALLINT[]))
                AS u (device, push, due, attempts)
            WHERE r.app_id = $1 AND r.occurrence_id = $2 AND (r.due_at, r.device_number) > ($3, $4)
                AND (r.due_at, r.device_number) <= ($5, $6) AND r.device_number = u.device AND r.push_type = u.push
            """,
            after,
            through
        )
        bindRetries(to: statement, from: 7)
        try withoutNestedLoops { try statement.run() }
    }

    /// Takes notifications that are over off the list.
    ///
    /// - Parameters:
    ///   - after: The place in the list after which they are.
    ///   - through: The last place where they may be.
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``.
    func closeRetries(after: RetryPosition, through: RetryPosition) throws -> Int {
        let statement = try prepareRetries(
            """
            DELETE FROM retries AS r USING unnest(CAST($7 AS BIGINT[]), CAST($8 AS SMALLINT[])) AS u (device, push)
            WHERE r.app_id = $1 AND r.occurrence_id = $2 AND (r.due_at, r.device_number) > ($3, $4)
                AND (r.due_at, r.device_number) <= ($5, $6) AND r.device_number = u.device AND r.push_type = u.push
            """,
            after,
            through
        )
        statement.bind(commit.rows.lazy.map(\.device.rawValue), at: 7)
        statement.bind(commit.rows.lazy.map(\.pushType.code), at: 8)
        return try withoutNestedLoops {
            try statement.run()
            return connection.changedRowCount
        }
    }

    // MARK: - Private

    /// A statement on the Chunk's part of the list.
    private func prepareRetries(
        _ sql: SQL,
        _ after: RetryPosition,
        _ through: RetryPosition
    ) throws -> PostgreSQLStatement {
        let statement = try arrays(sql)
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(after.dueAt.rawValue, at: 3)
        statement.bind(after.device.rawValue, at: 4)
        statement.bind(through.dueAt.rawValue, at: 5)
        statement.bind(through.device.rawValue, at: 6)
        return statement
    }

    private func bindRetries(to statement: PostgreSQLStatement, from place: Int) {
        statement.bind(commit.retries.lazy.map(\.device.rawValue), at: place)
        statement.bind(commit.retries.lazy.map(\.pushType.code), at: place + 1)
        statement.bind(commit.retries.lazy.map(\.dueAt.rawValue), at: place + 2)
        statement.bind(commit.retries.lazy.map { Int64($0.attempts) }, at: place + 3)
    }

    /// Runs a statement that finds what a list names within a range of rows.
    ///
    /// The list of retries grows from nothing to hundreds of thousands within seconds. PostgreSQL takes the range for one
    /// row then, and would go through the whole list of names again for each of its rows; what is left to it without
    /// nested loops is a hash table of one of them. A statement that fails ends the transaction, and the setting with it.
    private func withoutNestedLoops<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.send(
            "SELECT set_config('enable_nestloop', 'off', true), set_config('enable_hashjoin', 'on', true)"
        )
        let value = try body()
        try connection.send(
            "SELECT set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'off', true)"
        )
        return value
    }
}
