import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What a commit writes into PostgreSQL: a statement for each table, however many rows there are.
///
/// A statement a row would take a round trip each.
struct PostgreSQLOutcomes {
    let connection: any SQLConnection
    let commit: ChunkCommit

    var key: ChunkKey { commit.lease.chunk }

    /// Writes the deliveries that are new.
    ///
    /// Nothing comes back but how many there are: with `RETURNING`, or a `WITH` around it, a row a notification would.
    ///
    /// - Parameter codes: The numbers of the commit's reasons.
    /// - Returns: False when some were there before; which ones is not known, and the transaction has to be given up.
    /// - Throws: ``StoreError``.
    func writeRows(codes: [Int64]) throws -> Bool {
        let statement = try arrays(Self.rows)
        bindRows(to: statement, codes: codes)
        try statement.run()
        return connection.changedRowCount == commit.rows.count
    }

    /// Writes the deliveries that are new, of a commit of which some were there before.
    ///
    /// - Parameter codes: The numbers of the commit's reasons.
    /// - Returns: Those that are new.
    /// - Throws: ``StoreError``.
    func writeNewRows(codes: [Int64]) throws -> [ChunkCommit.Row] {
        let statement = try arrays(Self.newRows)
        bindRows(to: statement, codes: codes)
        var new: Set<Addressee> = []
        while try statement.next() { new.insert(Addressee(row: statement)) }
        return commit.rows.filter { row in
            new.remove(Addressee(device: row.device.rawValue, pushType: row.pushType.code)) != nil
        }
    }

    /// Writes a row of the inbox for each Device that accepted something.
    ///
    /// - Parameter rows: Deliveries that are new.
    /// - Throws: ``StoreError``.
    func writeInbox(_ rows: [ChunkCommit.Row]) throws {
        let devices = rows.compactMap { $0.outcome == .accepted ? $0.device.rawValue : nil }
        guard !devices.isEmpty else { return }
        let statement = try arrays(
            """
            INSERT INTO inbox_rows (app_id, device_number, occurrence_id)
            SELECT $1, u.device, $2 FROM unnest(CAST($3 AS BIGINT[])) AS u (device) ON CONFLICT DO NOTHING
            """
        )
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(devices, at: 3)
        try statement.send()
    }

    // MARK: - Private

    private static let rows: SQL = """
        INSERT INTO deliveries (\(DeliveryColumn.list))
        SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
        FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
            AS u (device, push, outcome, reason)
        ON CONFLICT DO NOTHING
        """

    private static let newRows: SQL = """
        INSERT INTO deliveries (\(DeliveryColumn.list))
        SELECT $1, $2, u.device, u.push, u.outcome, u.reason, $3
        FROM unnest(CAST($4 AS BIGINT[]), CAST($5 AS SMALLINT[]), CAST($6 AS SMALLINT[]), CAST($7 AS SMALLINT[]))
            AS u (device, push, outcome, reason)
        ON CONFLICT DO NOTHING RETURNING \(AddresseeColumn.list)
        """

    private func bindRows(to statement: PostgreSQLStatement, codes: [Int64]) {
        statement.bind(key.app.rawValue, at: 1)
        statement.bind(key.occurrence.rawValue, at: 2)
        statement.bind(commit.at.rawValue, at: 3)
        statement.bind(commit.rows.lazy.map(\.device.rawValue), at: 4)
        statement.bind(commit.rows.lazy.map(\.pushType.code), at: 5)
        statement.bind(commit.rows.lazy.map(\.outcome.code), at: 6)
        let reasons = commit.rows.lazy.map { $0.outcome == .accepted ? 0 : codes[Int($0.reason)] }
        statement.bind(reasons, at: 7)
    }

    /// A statement whose arrays are bound.
    func arrays(_ sql: SQL) throws -> PostgreSQLStatement {
        guard let statement = try connection.prepare(sql) as? PostgreSQLStatement else {
            throw StoreError.failed("Arrays are bound on PostgreSQL alone.")
        }
        return statement
    }
}
