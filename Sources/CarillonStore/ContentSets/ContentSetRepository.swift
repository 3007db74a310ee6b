import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import StoreErrors

private enum ContentSetColumn: Int, SQLColumn { case appID, name, definition, createdAt, updatedAt }

/// Content sets in SQL.
struct ContentSetRepository {
    let database: any Database
    let decoded = DecodedDefinitions()
    let known = KnownContentSets()
    let totals = NearTotals()
    let places: ContentPlaceCache

    init(database: any Database, places: ContentPlaceCache = ContentPlaceCache()) {
        self.database = database
        self.places = places
    }
}

extension ContentSetRepository: ContentSetStore {
    func put(
        _ name: String,
        _ definition: ContentSetDefinition,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentSet, ContentSetError> {
        try await database.write { connection in
            try connection.lock(.app(app))
            guard try connection.apps.app(app) != nil else { return .failure(.noApp) }
            let known = try connection.contentSets.set(name, app: app)
            if known == nil {
                let count = try connection.first(
                    "SELECT count(*) FROM content_sets WHERE app_id = $1",
                    app,
                    as: Int.self
                )
                guard (count ?? 0) < ContentSet.maximumCount else {
                    return .failure(.tooMany("content sets of an App", limit: ContentSet.maximumCount))
                }
            }
            let set = ContentSet(
                app: app,
                name: name,
                definition: definition,
                createdAt: known?.createdAt ?? now,
                updatedAt: now,
                versions: known?.versions ?? [:]
            )
            try connection.run(
                """
                INSERT INTO content_sets (\(ContentSetColumn.list)) VALUES (\(ContentSetColumn.parameters))
                ON CONFLICT (app_id, name) DO UPDATE SET definition = $3, updated_at = $5
                """,
                app,
                name,
                try JSONColumn(definition),
                set.createdAt,
                now
            )
            return .success(set)
        }
    }

    func set(_ name: String, app: AppID) async throws(StoreError) -> ContentSet? {
        guard let count = database.writeCount else { return try await read(name, app) }
        if let set = known.set(name, app: app, at: count) { return set }
        let set = try await read(name, app)
        if let set { known.save(set, at: count) }
        return set
    }

    private func read(_ name: String, _ app: AppID) async throws(StoreError) -> ContentSet? {
        try await database.read { connection in try connection.contentSets.set(name, app: app, decoded) }
    }

    func sets(of app: AppID, after name: String?, limit: Int) async throws(StoreError) -> [ContentSet] {
        try await database.read { connection in
            let sets = try connection.all(
                """
                SELECT \(ContentSetColumn.list) FROM content_sets WHERE app_id = $1 AND name > $2 ORDER BY name LIMIT $3
                """,
                app,
                name ?? "",
                limit
            ) { (row: SQLRow<ContentSetColumn>) in try ContentSet(row: row, decoded) }
            return try sets.map { set in
                var set = set
                set.versions = try connection.contentSets.versions(of: set.name, app: app, decoded)
                return set
            }
        }
    }

    func delete(_ name: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.app(app))
            guard try connection.run("DELETE FROM content_sets WHERE app_id = $1 AND name = $2", app, name) == 1 else {
                return false
            }
            try connection.run(
                "UPDATE content_versions SET state = $1 WHERE app_id = $2 AND set_name = $3",
                ContentSetTable.State.dropped.rawValue,
                app,
                name
            )
            let statements: [SQL] = [
                "DELETE FROM content_runs WHERE app_id = $1 AND set_name = $2",
                "DELETE FROM content_sources WHERE app_id = $1 AND set_name = $2",
                "DELETE FROM content_feeds WHERE app_id = $1 AND set_name = $2",
                "DELETE FROM content_alerts WHERE app_id = $1 AND set_name = $2",
                "DELETE FROM content_alert_runs WHERE app_id = $1 AND set_name = $2",
                """
                DELETE FROM content_attachment_parts WHERE app_id = $1 AND id IN (
                    SELECT a.id FROM content_attachments a WHERE a.app_id = $1 AND a.set_name = $2)
                """,
                "DELETE FROM content_attachments WHERE app_id = $1 AND set_name = $2",
            ]
            for statement in statements { try connection.run(statement, app, name) }
            return true
        }
    }

    func deleteAttachments(of name: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            try connection.contentAttachments.removeSome(of: name, app: app)
        }
    }

    func begin(
        _ run: ContentImportRun,
        of set: String,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> ContentImportRun? {
        try await database.write { connection in
            try connection.lock(.app(app))
            let known = "SELECT name FROM content_sets WHERE app_id = $1 AND name = $2 LIMIT 1" as SQL
            guard try connection.first(known, app, set, as: String.self) != nil else { return nil }
            let limit = ContentSetTable.runningCount
            let others = try connection.contentSets.runs(of: set, app: app, before: nil, limit: limit)
            if let other = others.first(where: { $0.isAlive(at: now) && $0.overlaps(run) }) { return other }
            try connection.contentSets.begin(run, of: set, app: app)
            return nil
        }
    }

    func save(_ run: ContentImportRun, of set: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in try connection.contentSets.save(run, app: app) }
    }

    func runs(
        of set: String,
        app: AppID,
        before id: ContentImportID?,
        limit: Int
    ) async throws(StoreError) -> [ContentImportRun] {
        try await database.read { connection in
            try connection.contentSets.runs(of: set, app: app, before: id, limit: limit)
        }
    }
}

extension ContentSetTable {
    /// A set with its current versions.
    func set(_ name: String, app: AppID, _ decoded: DecodedDefinitions = .init()) throws -> ContentSet? {
        let set = try connection.first(
            "SELECT \(ContentSetColumn.list) FROM content_sets WHERE app_id = $1 AND name = $2",
            app,
            name
        ) { (row: SQLRow<ContentSetColumn>) in try ContentSet(row: row, decoded) }
        guard var set else { return nil }
        set.versions = try versions(of: name, app: app, decoded)
        return set
    }
}

extension ContentSet {
    fileprivate init(row: SQLRow<ContentSetColumn>, _ decoded: DecodedDefinitions) throws {
        self.init(
            app: try row[.appID],
            name: try row[.name],
            definition: try decoded.set(row, .definition),
            createdAt: try row[.createdAt],
            updatedAt: try row[.updatedAt]
        )
    }
}
