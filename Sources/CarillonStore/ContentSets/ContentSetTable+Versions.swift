import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// Versions of tables, in SQL on one connection.
extension ContentSetTable {
    /// How many rows are compared in one reading.
    private static let comparedAtOnce: Int64 = 5_000

    func insert(_ row: StoredContentRow, slot: Int64, app: AppID) throws {
        try connection.send(
            """
            INSERT INTO content_rows (app_id, slot, number, name, document, latitude, longitude)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            app,
            slot,
            row.number,
            row.key,
            row.document,
            row.position?.latitude,
            row.position?.longitude
        )
        if let position = row.position { try insert(position, slot: slot, number: row.number) }
        for (field, term) in row.terms {
            try connection.send(
                """
                INSERT INTO content_terms (app_id, slot, field, term, number) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (app_id, slot, field, term, number) DO NOTHING
                """,
                app,
                slot,
                field,
                term,
                row.number
            )
        }
        for (field, at) in row.times {
            try connection.send(
                "INSERT INTO content_times (app_id, slot, field, at, number) VALUES ($1, $2, $3, $4, $5)",
                app,
                slot,
                field,
                at,
                row.number
            )
        }
    }

    /// Compares some rows of two versions, those with the numbers after one.
    ///
    /// - Returns: The counts, and the number to go on after; `nil` behind the last rows of both.
    func compare(
        _ current: Int64,
        _ new: Int64,
        after: Int64,
        app: AppID
    ) throws -> (imported: Int, changed: Int, gone: Int, next: Int64?) {
        let last = after + Self.comparedAtOnce
        let changes = try connection.first(
            """
            SELECT COALESCE(SUM(CASE WHEN o.name IS NULL THEN 1 ELSE 0 END), 0),
                COALESCE(SUM(CASE WHEN o.name IS NOT NULL AND o.document <> n.document THEN 1 ELSE 0 END), 0), count(*)
            FROM content_rows n LEFT JOIN content_rows o ON o.app_id = $1 AND o.slot = $2 AND o.name = n.name
            WHERE n.app_id = $1 AND n.slot = $3 AND n.number > $4 AND n.number <= $5
            """,
            app,
            current,
            new,
            after,
            last,
            as: (Int, Int, Int).self
        )
        let gone = try connection.first(
            """
            SELECT COALESCE(SUM(CASE WHEN n.name IS NULL THEN 1 ELSE 0 END), 0), count(*)
            FROM content_rows o LEFT JOIN content_rows n ON n.app_id = $1 AND n.slot = $2 AND n.name = o.name
            WHERE o.app_id = $1 AND o.slot = $3 AND o.number > $4 AND o.number <= $5
            """,
            app,
            new,
            current,
            after,
            last,
            as: (Int, Int).self
        )
        let seen = max(changes?.2 ?? 0, gone?.1 ?? 0)
        return (changes?.0 ?? 0, changes?.1 ?? 0, gone?.0 ?? 0, seen < Self.comparedAtOnce ? nil : last)
    }

    /// The keys of rows that are gone, among those that ``compare(_:_:after:app:)`` looks at.
    func gone(_ current: Int64, _ new: Int64, after: Int64, app: AppID) throws -> [String] {
        try connection.all(
            """
            SELECT o.name FROM content_rows o
            LEFT JOIN content_rows n ON n.app_id = $1 AND n.slot = $2 AND n.name = o.name
            WHERE o.app_id = $1 AND o.slot = $3 AND o.number > $4 AND o.number <= $5 AND n.name IS NULL
            ORDER BY o.number LIMIT $6
            """,
            app,
            new,
            current,
            after,
            after + Self.comparedAtOnce,
            ContentAlert.maximumRowCount,
            as: String.self
        )
    }

    /// The new rows among those that ``compare(_:_:after:app:)`` looks at.
    func news(
        _ current: Int64,
        _ new: Int64,
        after: Int64,
        limit: Int,
        app: AppID
    ) throws -> [NewContentRow] {
        try connection.all(
            """
            SELECT n.number, n.name FROM content_rows n
            LEFT JOIN content_rows o ON o.app_id = $1 AND o.slot = $2 AND o.name = n.name
            WHERE n.app_id = $1 AND n.slot = $3 AND n.number > $4 AND n.number <= $5 AND o.name IS NULL
            ORDER BY n.number LIMIT $6
            """,
            app,
            current,
            new,
            after,
            after + Self.comparedAtOnce,
            limit,
            as: (Int64, String).self
        ).map { NewContentRow(number: $0, key: $1) }
    }

    /// The table of a version that is being written.
    ///
    /// - Throws: ``StoreError`` when it was given up.
    func loadingTable(of slot: Int64, app: AppID) throws -> String {
        let table = try connection.first(
            "SELECT table_name FROM content_versions WHERE app_id = $1 AND slot = $2 AND state = $3",
            app,
            slot,
            State.loading.rawValue,
            as: String.self
        )
        guard let table else { throw StoreError.failed("The version of the content set was given up.") }
        return table
    }

    /// Gives up what a table has, which the set no longer has.
    func drop(_ table: String, of set: String, app: AppID) throws {
        try connection.run(
            """
            UPDATE content_versions SET state = $1
            WHERE app_id = $2 AND set_name = $3 AND table_name = $4 AND state IN ($5, $6)
            """,
            State.dropped.rawValue,
            app,
            set,
            table,
            State.current.rawValue,
            State.previous.rawValue
        )
    }

    func publish(
        _ slot: Int64,
        table: String,
        of set: String,
        app: AppID,
        rowCount: Int,
        at now: Timestamp
    ) throws {
        let steps: [(from: State, to: State)] = [(.previous, .dropped), (.current, .previous)]
        for step in steps {
            try connection.run(
                """
                UPDATE content_versions SET state = $1
                WHERE app_id = $2 AND set_name = $3 AND table_name = $4 AND state = $5
                """,
                step.to.rawValue,
                app,
                set,
                table,
                step.from.rawValue
            )
        }
        try connection.run(
            "UPDATE content_versions SET state = $1, row_count = $2, published_at = $3 WHERE app_id = $4 AND slot = $5",
            State.current.rawValue,
            rowCount,
            now,
            app,
            slot
        )
    }
}
