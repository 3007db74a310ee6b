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
    let places = ContentPlaceCache()

    init(database: any Database) { self.database = database }
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
            ]
            for statement in statements { try connection.run(statement, app, name) }
            return true
        }
    }

    func save(_ run: ContentImportRun, of set: String, app: AppID) async throws(StoreError) {
        try await database.write { connection in
            try connection.run(
                """
                INSERT INTO content_runs (app_id, id, set_name, report) VALUES ($1, $2, $3, $4)
                ON CONFLICT (app_id, id) DO UPDATE SET report = $4
                """,
                app,
                run.id.rawValue,
                set,
                try JSONColumn(run)
            )
            try connection.run(
                """
                DELETE FROM content_runs WHERE app_id = $1 AND set_name = $2 AND id <= (
                    SELECT id FROM content_runs WHERE app_id = $1 AND set_name = $2 ORDER BY id DESC LIMIT 1 OFFSET 50)
                """,
                app,
                set
            )
        }
    }

    func runs(
        of set: String,
        app: AppID,
        before id: ContentImportID?,
        limit: Int
    ) async throws(StoreError) -> [ContentImportRun] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT report FROM content_runs WHERE app_id = $1 AND set_name = $2 AND id < $3
                ORDER BY id DESC LIMIT $4
                """,
                app,
                set,
                id?.rawValue ?? .max,
                limit
            ) { row in try JSONColumn<ContentImportRun>.value(row, at: 0) }
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
