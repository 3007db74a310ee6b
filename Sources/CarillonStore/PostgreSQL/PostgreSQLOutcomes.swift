import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What a commit writes into PostgreSQL: a statement for each table, however many rows there are.
///
/// A statement a row would take a round trip each.
struct PostgreSQLOutcomes {
    let connection: any SQLConnection
    let commit: ChunkCommit

    private var key: ChunkKey { commit.lease.chunk }

    /// Writes the deliveries that are new, and a row of the inbox for each of them that was accepted.
    ///
    /// - Parameters:
    ///   - codes: The numbers of the commit's reasons.
    ///   - hasInboxRows: Whether the Campaign writes rows of inboxes.
    /// - Returns: How many of each outcome and reason are new, and of each variant if there are some.
    /// - Throws: ``StoreError``.
    func writeRows(
        codes: [Int64],
        hasInboxRows: Bool
    ) throws(StoreError) -> (tally: OutcomeTally, variants: VariantTally?) {
        var variants = VariantTally(commit.split)
        let statement =
            if variants == nil {
                try arrays(hasInboxRows ? Self.rowsAndInbox : Self.rows)
            } else {
                try arrays(hasInboxRows ? Self.variantRowsAndInbox : Self.variantRows)
            }
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(commit.at.rawValue, at: 3)
        statement.bind(commit.rows.lazy.map(\.device.rawValue), at: 4)
        statement.bind(commit.rows.lazy.map(\.pushType.code), at: 5)
        statement.bind(commit.rows.lazy.map(\.outcome.code), at: 6)
        let reasons = commit.rows.lazy.map { $0.outcome == .accepted ? 0 : codes[Int($0.reason)] }
        statement.bind(reasons, at: 7)
        var tally = OutcomeTally()
        while try statement.next() {
            guard let outcome = Delivery.Outcome(code: statement.int64(0)) else { continue }
            tally.add(outcome, reason: statement.int64(1), count: statement.int(2))
            if variants != nil { variants?.add(outcome, of: DeviceNumber(rawValue: statement.int64(3))) }
        }
        return (tally, variants)
    }

    /// Puts notifications on the list of retries.
    ///
    /// - Returns: How many are new.
    /// - Throws: ``StoreError``.
    func keepRetries() throws(StoreError) -> Int {
        try runRetries(
            """
            INSERT INTO retries (app_id, occurrence_id, device_number, push_type, due_at, attempts)
            SELECT $1, $2, u.device, u.push, u.due, u.attempts
            FROM unnest(CAST($3 AS BIGINT[]), CAST($4 AS SMALLINT[]), CAST($5 AS BIGINT[]), CAST($6 AS SMALLINT[]))
                AS u (device, push, due, attempts)
            ON CONFLICT DO NOTHING
            """
        )
    }

    /// Notes when the next attempt of notifications is that are on the list.
    func postponeRetries() throws(StoreError) {
        _ = try runRetries(
            """
            UPDATE retries AS r SET due_at = u.due, attempts = u.attempts
            FROM unnest(CAST($3 AS BIGINT[]), CAST($4 AS SMALLINT[]), CAST($5 AS BIGINT[]), CAST($6 AS SMALLINT[]))
                AS u (device, push, due, attempts)
            WHERE r.app_id = $1 AND r.occurrence_id = $2 AND r.device_number = u.device AND r.push_type = u.push
            """
        )
    }

    /// Takes notifications that are over off the list.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``StoreError``.
    func closeRetries() throws(StoreError) -> Int {
        let statement = try arrays(
            """
            DELETE FROM retries AS r
            USING unnest(CAST($3 AS BIGINT[]), CAST($4 AS SMALLINT[])) AS u (device, push)
            WHERE r.app_id = $1 AND r.occurrence_id = $2 AND r.device_number = u.device AND r.push_type = u.push
            """
        )
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(commit.rows.lazy.map(\.device.rawValue), at: 3)
        statement.bind(commit.rows.lazy.map(\.pushType.code), at: 4)
        try statement.run()
        return connection.changedRowCount
    }

    // MARK: - Private

    private static let rows: SQL = """
        WITH new AS (
            INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
            SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
            FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
                AS u (device, push, outcome, reason)
            ON CONFLICT DO NOTHING RETURNING outcome, reason
        )
        SELECT outcome, reason, count(*) FROM new GROUP BY outcome, reason
        """

    private static let rowsAndInbox: SQL = """
        WITH new AS (
            INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
            SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
            FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
                AS u (device, push, outcome, reason)
            ON CONFLICT DO NOTHING RETURNING app_id, occurrence_id, device_number, outcome, reason
        ), shown AS (
            INSERT INTO inbox_rows (app_id, device_number, occurrence_id)
            SELECT app_id, device_number, occurrence_id FROM new WHERE outcome = 1
            ON CONFLICT DO NOTHING
        )
        SELECT outcome, reason, count(*) FROM new GROUP BY outcome, reason
        """

    /// As ``rows``, each row for itself: whose variant it is follows from the Device.
    private static let variantRows: SQL = """
        INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
        SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
        FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
            AS u (device, push, outcome, reason)
        ON CONFLICT DO NOTHING RETURNING outcome, reason, 1, device_number
        """

    private static let variantRowsAndInbox: SQL = """
        WITH new AS (
            INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
            SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
            FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
                AS u (device, push, outcome, reason)
            ON CONFLICT DO NOTHING RETURNING app_id, occurrence_id, device_number, outcome, reason
        ), shown AS (
            INSERT INTO inbox_rows (app_id, device_number, occurrence_id)
            SELECT app_id, device_number, occurrence_id FROM new WHERE outcome = 1
            ON CONFLICT DO NOTHING
        )
        SELECT outcome, reason, 1, device_number FROM new
        """

    private func runRetries(_ sql: SQL) throws(StoreError) -> Int {
        let statement = try arrays(sql)
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(commit.retries.lazy.map(\.device.rawValue), at: 3)
        statement.bind(commit.retries.lazy.map(\.pushType.code), at: 4)
        statement.bind(commit.retries.lazy.map(\.dueAt.rawValue), at: 5)
        statement.bind(commit.retries.lazy.map { Int64($0.attempts) }, at: 6)
        try statement.run()
        return connection.changedRowCount
    }

    private func arrays(_ sql: SQL) throws(StoreError) -> PostgreSQLStatement {
        guard let statement = try connection.prepare(sql) as? PostgreSQLStatement else {
            throw .failed("Arrays are bound on PostgreSQL alone.")
        }
        return statement
    }
}
