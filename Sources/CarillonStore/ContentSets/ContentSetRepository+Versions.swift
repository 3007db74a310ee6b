import CarillonContentSets
import CarillonModel
import CarillonSQL
import StoreErrors

/// Versions of tables: written row by row, published at once.
extension ContentSetRepository {
    func begin(
        _ table: ContentTable,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Int64 {
        try await database.write(priority: .bulk) { connection in
            let slot = try connection.first(
                """
                INSERT INTO content_numbers (id, next) VALUES (0, 1)
                ON CONFLICT (id) DO UPDATE SET next = content_numbers.next + 1 RETURNING next
                """,
                as: Int64.self
            )
            guard let slot else { throw StoreError.failed("There is no number for a version.") }
            try connection.run(
                """
                INSERT INTO content_versions
                    (app_id, slot, set_name, table_name, definition, state, row_count, begun_at)
                VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
                """,
                app,
                slot,
                set,
                table.name,
                try JSONColumn(table),
                ContentSetTable.State.loading.rawValue,
                now
            )
            return slot
        }
    }

    func append(_ rows: [StoredContentRow], to slot: Int64, app: AppID) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            let state = try connection.first(
                "SELECT state FROM content_versions WHERE app_id = $1 AND slot = $2",
                app,
                slot,
                as: Int64.self
            )
            guard state == ContentSetTable.State.loading.rawValue else {
                throw StoreError.failed("The version of the content set was given up.")
            }
            for row in rows { try connection.contentSets.insert(row, slot: slot, app: app) }
        }
    }

    func changes(
        from current: Int64?,
        to slot: Int64,
        app: AppID
    ) async throws(StoreError) -> (imported: Int, changed: Int, gone: Int) {
        var (counts, after): ((imported: Int, changed: Int, gone: Int), Int64?) = ((0, 0, 0), 0)
        while let first = after {
            let part = try await database.read { connection in
                try connection.contentSets.compare(current ?? 0, slot, after: first, app: app)
            }
            counts.imported += part.imported
            counts.changed += part.changed
            counts.gone += part.gone
            after = part.next
        }
        return counts
    }

    func publish(
        _ slots: [Int64],
        of set: String,
        app: AppID,
        rowCounts: [Int64: Int],
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.app(app))
            guard try connection.contentSets.set(set, app: app) != nil else { return false }
            for slot in slots {
                let table = try connection.first(
                    "SELECT table_name FROM content_versions WHERE app_id = $1 AND slot = $2 AND state = $3",
                    app,
                    slot,
                    ContentSetTable.State.loading.rawValue,
                    as: String.self
                )
                guard let table else { throw StoreError.failed("The version of the content set was given up.") }
                try connection.contentSets.publish(
                    slot,
                    table: table,
                    of: set,
                    app: app,
                    rowCount: rowCounts[slot] ?? 0,
                    at: now
                )
            }
            return true
        }
    }

    func discard(_ slots: [Int64], app: AppID) async throws(StoreError) {
        guard !slots.isEmpty else { return }
        try await database.write { connection in
            for slot in slots {
                try connection.run(
                    "UPDATE content_versions SET state = $1 WHERE app_id = $2 AND slot = $3 AND state = $4",
                    ContentSetTable.State.dropped.rawValue,
                    app,
                    slot,
                    ContentSetTable.State.loading.rawValue
                )
            }
        }
    }

    func dropUnused(app: AppID, before: Timestamp) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            guard let slot = try connection.contentSets.unusedVersion(app: app, before: before) else { return false }
            // One that was begun long ago is no longer written to while its rows are removed.
            try connection.run(
                "UPDATE content_versions SET state = $1 WHERE app_id = $2 AND slot = $3",
                ContentSetTable.State.dropped.rawValue,
                app,
                slot
            )
            try connection.contentSets.removeRows(of: slot, app: app)
            return true
        }
    }

    func version(
        _ slot: Int64,
        of set: String,
        table: String,
        app: AppID
    ) async throws(StoreError) -> ContentSet.Version? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(ContentVersionColumn.list) FROM content_versions
                WHERE app_id = $1 AND slot = $2 AND set_name = $3 AND table_name = $4 AND state IN ($5, $6)
                """,
                app,
                slot,
                set,
                table,
                ContentSetTable.State.current.rawValue,
                ContentSetTable.State.previous.rawValue,
                read: ContentSet.Version.init(row:)
            )
        }
    }
}

extension ContentSetTable {
    /// How many rows are compared in one reading.
    private static let comparedAtOnce: Int64 = 5_000

    fileprivate func insert(_ row: StoredContentRow, slot: Int64, app: AppID) throws {
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
    fileprivate func compare(
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

    fileprivate func publish(
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
