import CarillonContentSets
import CarillonModel
import CarillonSQL

/// Content sets, in SQL on one connection.
struct ContentSetTable {
    /// The states of a version; see the migration.
    enum State: Int64 {
        case loading = 0
        case current = 1
        case previous = 2
        case dropped = 3
    }

    let connection: any SQLConnection
}

extension SQLConnection {
    var contentSets: ContentSetTable { ContentSetTable(connection: self) }
}

enum ContentVersionColumn: Int, SQLColumn { case slot, tableName, definition, rowCount, publishedAt }

extension ContentSetTable {
    /// Removes at most this many rows of a version in one transaction, with their terms and times.
    private static let removedAtOnce = 200

    /// The current versions of a set.
    func versions(
        of set: String,
        app: AppID,
        _ decoded: DecodedDefinitions
    ) throws -> [String: ContentSet.Version] {
        let rows = try connection.all(
            """
            SELECT \(ContentVersionColumn.list) FROM content_versions
            WHERE app_id = $1 AND set_name = $2 AND state = $3 LIMIT 100
            """,
            app,
            set,
            State.current.rawValue
        ) { (row: SQLRow<ContentVersionColumn>) in
            (try row[.tableName] as String, try ContentSet.Version(row: row, decoded))
        }
        return Dictionary(rows) { $0.slot > $1.slot ? $0 : $1 }
    }

    /// Adds a row's place to the R*Tree of SQLite; PostgreSQL's index is on the row itself.
    func insert(_ position: ContentPosition, slot: Int64, number: Int64) throws {
        guard connection.dialect == .sqlite else { return }
        let latitude = Int64((position.latitude * ContentStatement.unitsPerDegree).rounded())
        let longitude = Int64((position.longitude * ContentStatement.unitsPerDegree).rounded())
        try connection.send(
            """
            INSERT INTO content_places
                (id, min_slot, max_slot, min_latitude, max_latitude, min_longitude, max_longitude)
            VALUES ($1, $2, $2, $3, $3, $4, $4)
            """,
            slot * ContentStatement.rowsPerVersion + number,
            slot,
            latitude,
            longitude
        )
    }

    /// Removes some places of an App that is being deleted, before its versions, which lead to them.
    ///
    /// - Returns: How many were removed.
    func removePlaces(of app: AppID, before rows: AppRows) throws -> Int {
        guard connection.dialect == .sqlite, rows.table == "content_versions" else { return 0 }
        return try connection.run(
            """
            DELETE FROM content_places WHERE id IN (
                SELECT p.id FROM content_versions v CROSS JOIN content_places p
                WHERE v.app_id = $1 AND p.min_slot = v.slot LIMIT 1000)
            """,
            app
        )
    }

    /// Removes the places of a version's rows up to one.
    private func removePlaces(of slot: Int64, through number: Int64) throws {
        guard connection.dialect == .sqlite else { return }
        try connection.run(
            "DELETE FROM content_places WHERE min_slot = $1 AND id <= $2",
            slot,
            slot * ContentStatement.rowsPerVersion + number
        )
    }

    /// A version of which rows may be removed; `nil` when there is none.
    func unusedVersion(app: AppID, before: Timestamp) throws -> Int64? {
        try connection.first(
            """
            SELECT v.slot FROM content_versions v
            WHERE v.app_id = $1 AND (v.state = $2 OR (v.state = $3 AND v.begun_at < $4))
                AND NOT EXISTS (SELECT 1 FROM content_alert_runs r WHERE r.app_id = $1 AND r.slot = v.slot)
            ORDER BY v.slot LIMIT 1
            """,
            app,
            State.dropped.rawValue,
            State.loading.rawValue,
            before,
            as: Int64.self
        )
    }

    /// Removes some rows of a version, and the version when none is left.
    func removeRows(of slot: Int64, app: AppID) throws {
        let last = try connection.first(
            "SELECT number FROM content_rows WHERE app_id = $1 AND slot = $2 ORDER BY number LIMIT 1 OFFSET $3",
            app,
            slot,
            Self.removedAtOnce - 1,
            as: Int64.self
        )
        if try removeSome(
            "SELECT field, term, number FROM content_terms WHERE app_id = $1 AND slot = $2 LIMIT 2000",
            slot: slot,
            app: app
        ) {
            return
        }
        if try connection.contentAttachments.removeSome(of: slot, through: last, app: app) { return }
        try removePlaces(of: slot, through: last ?? ContentStatement.rowsPerVersion)
        guard let last else {
            try connection.run("DELETE FROM content_times WHERE app_id = $1 AND slot = $2", app, slot)
            try connection.run("DELETE FROM content_new_rows WHERE app_id = $1 AND slot = $2", app, slot)
            try connection.run("DELETE FROM content_rows WHERE app_id = $1 AND slot = $2", app, slot)
            try connection.run("DELETE FROM content_versions WHERE app_id = $1 AND slot = $2", app, slot)
            return
        }
        try connection.run(
            "DELETE FROM content_times WHERE app_id = $1 AND slot = $2 AND number <= $3",
            app,
            slot,
            last
        )
        try connection.run(
            "DELETE FROM content_rows WHERE app_id = $1 AND slot = $2 AND number <= $3",
            app,
            slot,
            last
        )
    }

    /// - Returns: Whether terms were removed.
    private func removeSome(_ select: SQL, slot: Int64, app: AppID) throws -> Bool {
        let terms = try connection.all(select, app, slot, as: (Int64, String, Int64).self)
        let delete = try connection.prepare(
            "DELETE FROM content_terms WHERE app_id = $1 AND slot = $2 AND field = $3 AND term = $4 AND number = $5"
        )
        for (field, term, number) in terms {
            app.bind(to: delete, at: 1)
            delete.bind(slot, at: 2)
            delete.bind(field, at: 3)
            delete.bind(term, at: 4)
            delete.bind(number, at: 5)
            try delete.send()
        }
        return !terms.isEmpty
    }
}

extension ContentSet.Version {
    init(row: SQLRow<ContentVersionColumn>, _ decoded: DecodedDefinitions) throws {
        self.init(
            slot: try row[.slot],
            table: try decoded.table(row, .definition),
            rowCount: try row[.rowCount],
            importedAt: try row[.publishedAt]
        )
    }
}
