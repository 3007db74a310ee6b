import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import StoreErrors

/// Follows of content sets in SQL.
struct ContentFollowRepository {
    let database: any Database
}

enum ContentFollowColumn: Int, SQLColumn {
    case setName, name, tableName, userID, audience, query, isBundled, createdAt, id, userHash
}

extension ContentFollowRepository: ContentFollowStore {
    func putAlert(
        _ alert: ContentAlert,
        at now: Timestamp
    ) async throws(StoreError) -> Result<ContentAlert, ContentSetError> {
        try await database.write { connection in
            try connection.lock(.app(alert.app))
            guard try connection.contentSets.set(alert.set, app: alert.app) != nil else { return .failure(.notFound) }
            try connection.run(
                """
                INSERT INTO content_alerts (app_id, set_name, table_name, settings, state) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (app_id, set_name, table_name) DO UPDATE SET settings = excluded.settings
                """,
                alert.app,
                alert.set,
                alert.table,
                try JSONColumn(alert.settings),
                try JSONColumn(alert.state)
            )
            guard let kept = try connection.contentAlerts.alert(alert.table, of: alert.set, app: alert.app) else {
                return .failure(.notFound)
            }
            return .success(kept)
        }
    }

    func alert(_ table: String, of set: String, app: AppID) async throws(StoreError) -> ContentAlert? {
        try await database.read { connection in try connection.contentAlerts.alert(table, of: set, app: app) }
    }

    func deleteAlert(_ table: String, of set: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run(
                "DELETE FROM content_alerts WHERE app_id = $1 AND set_name = $2 AND table_name = $3",
                app,
                set,
                table
            ) == 1
        }
    }

    func updateState(
        of alert: ContentAlert,
        _ change: @escaping @Sendable (inout ContentAlert.State) -> Void
    ) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.app(alert.app))
            guard var stored = try connection.contentAlerts.alert(alert.table, of: alert.set, app: alert.app) else {
                return
            }
            change(&stored.state)
            try connection.run(
                "UPDATE content_alerts SET state = $1 WHERE app_id = $2 AND set_name = $3 AND table_name = $4",
                try JSONColumn(stored.state),
                alert.app,
                alert.set,
                alert.table
            )
        }
    }

    func putFollow(
        _ follow: ContentFollow,
        id: Int64,
        keys: Set<String>
    ) async throws(StoreError) -> Result<ContentFollow, ContentSetError> {
        try await database.write { connection in
            guard try connection.contentSets.set(follow.set, app: follow.app) != nil else { return .failure(.notFound) }
            // One of the same name may be another User's, and gives its place up all the same.
            guard try connection.contentFollows.count(besides: follow) < ContentFollow.maximumCount else {
                let owner = follow.user == nil ? "audiences" : "a User"
                return .failure(
                    .tooMany("follows of \(owner) in a content set", limit: ContentFollow.maximumCount)
                )
            }
            try connection.contentFollows.remove(follow.name, of: follow.set, app: follow.app)
            try connection.contentFollows.insert(follow, id: id, keys: keys)
            return .success(follow)
        }
    }

    func follow(_ name: String, of set: String, app: AppID) async throws(StoreError) -> ContentFollow? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(ContentFollowColumn.list) FROM content_follows
                WHERE app_id = $1 AND set_name = $2 AND name = $3
                """,
                app,
                set,
                name
            ) { (row: SQLRow<ContentFollowColumn>) in try FollowCandidate(row: row, app: app).follow }
        }
    }

    func follows(
        of set: String,
        app: AppID,
        user: UserID?,
        after name: String?,
        limit: Int
    ) async throws(StoreError) -> [ContentFollow] {
        try await database.read { connection in
            let read = { (row: SQLRow<ContentFollowColumn>) in try FollowCandidate(row: row, app: app).follow }
            guard let user else {
                return try connection.all(
                    """
                    SELECT \(ContentFollowColumn.list) FROM content_follows
                    WHERE app_id = $1 AND set_name = $2 AND name > $3 ORDER BY name LIMIT $4
                    """,
                    app,
                    set,
                    name ?? "",
                    limit,
                    read: read
                )
            }
            return try connection.all(
                """
                SELECT \(ContentFollowColumn.list) FROM content_follows
                WHERE app_id = $1 AND user_id = $2 AND set_name = $3 AND name > $4 ORDER BY name LIMIT $5
                """,
                app,
                user,
                set,
                name ?? "",
                limit,
                read: read
            )
        }
    }

    func deleteFollow(_ name: String, of set: String, app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.contentFollows.remove(name, of: set, app: app)
        }
    }
}

extension FollowCandidate {
    init(row: SQLRow<ContentFollowColumn>, app: AppID) throws {
        let audience: String? = try row[.audience]
        let follow = ContentFollow(
            app: app,
            set: try row[.setName],
            name: try row[.name],
            table: try row[.tableName],
            user: try row[.userID],
            audience: audience == nil ? nil : try row.json(.audience),
            query: try row.json(.query),
            isBundled: try row[.isBundled] as Int64 != 0,
            createdAt: try row[.createdAt]
        )
        self.init(id: try row[.id], userHash: try row[.userHash], follow: follow)
    }
}
