import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

/// Follows, in SQL on one connection.
struct ContentFollowTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var contentFollows: ContentFollowTable { ContentFollowTable(connection: self) }
}

extension ContentFollowTable {
    /// How many follows the User has in the set but for this one, or how many the set has of audiences.
    func count(besides follow: ContentFollow) throws -> Int {
        guard let user = follow.user else {
            return try connection.first(
                """
                SELECT count(*) FROM content_follows
                WHERE app_id = $1 AND user_id IS NULL AND set_name = $2 AND name <> $3
                """,
                follow.app,
                follow.set,
                follow.name,
                as: Int.self
            ) ?? 0
        }
        return try connection.first(
            """
            SELECT count(*) FROM content_follows
            WHERE app_id = $1 AND user_id = $2 AND set_name = $3 AND name <> $4
            """,
            follow.app,
            user,
            follow.set,
            follow.name,
            as: Int.self
        ) ?? 0
    }

    func insert(_ follow: ContentFollow, id: Int64, keys: Set<String>) throws {
        try connection.run(
            "INSERT INTO content_follows (app_id, \(ContentFollowColumn.list)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            follow.app,
            follow.set,
            follow.name,
            follow.table,
            follow.user,
            try follow.audience.map { try JSONColumn($0) },
            try JSONColumn(follow.query),
            follow.isBundled ? 1 : 0,
            follow.createdAt,
            id,
            follow.userHash
        )
        for key in keys.sorted() {
            try connection.send(
                """
                INSERT INTO content_follow_keys (app_id, set_name, table_name, term, user_hash, follow_id)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                follow.app,
                follow.set,
                follow.table,
                key,
                follow.userHash,
                id
            )
        }
    }

    @discardableResult
    func remove(_ name: String, of set: String, app: AppID) throws -> Bool {
        let id = try connection.first(
            "SELECT id FROM content_follows WHERE app_id = $1 AND set_name = $2 AND name = $3",
            app,
            set,
            name,
            as: Int64.self
        )
        guard let id else { return false }
        try connection.run("DELETE FROM content_follow_keys WHERE app_id = $1 AND follow_id = $2", app, id)
        return try connection.run(
            "DELETE FROM content_follows WHERE app_id = $1 AND set_name = $2 AND name = $3",
            app,
            set,
            name
        ) == 1
    }

    /// Removes all follows of a User, and rows that wait for their bundles.
    func removeAll(of user: UserID, app: AppID) throws {
        try connection.run("DELETE FROM content_bundles WHERE app_id = $1 AND user_id = $2", app, user)
        try connection.run(
            """
            DELETE FROM content_follow_keys WHERE app_id = $1 AND follow_id IN (
                SELECT f.id FROM content_follows f WHERE f.app_id = $1 AND f.user_id = $2)
            """,
            app,
            user
        )
        try connection.run("DELETE FROM content_follows WHERE app_id = $1 AND user_id = $2", app, user)
    }

    /// All follows of a User: a bounded number a set, and an App has a bounded number of sets.
    func follows(of user: UserID, app: AppID) throws -> [ContentFollow] {
        try connection.all(
            """
            SELECT \(ContentFollowColumn.list) FROM content_follows WHERE app_id = $1 AND user_id = $2
            ORDER BY set_name, name LIMIT $3
            """,
            app,
            user,
            ContentFollow.maximumCount * ContentSet.maximumCount
        ) { (row: SQLRow<ContentFollowColumn>) in try FollowCandidate(row: row, app: app).follow }
    }

    /// Removes some rows of sets that are gone.
    ///
    /// - Returns: Whether there may be more.
    func removeOrphans(app: AppID, before: Timestamp) throws -> Bool {
        if let set = try orphanedSet(
            "SELECT set_name FROM content_follows WHERE app_id = $1 AND set_name > $2 ORDER BY set_name LIMIT 1",
            app: app
        ) {
            let names = try connection.all(
                "SELECT name FROM content_follows WHERE app_id = $1 AND set_name = $2 ORDER BY name LIMIT 200",
                app,
                set,
                as: String.self
            )
            for name in names { try remove(name, of: set, app: app) }
            return true
        }
        if let set = try orphanedSet(
            "SELECT set_name FROM content_announced WHERE app_id = $1 AND set_name > $2 ORDER BY set_name LIMIT 1",
            app: app
        ) {
            try connection.run(
                """
                DELETE FROM content_announced WHERE app_id = $1 AND set_name = $2 AND (table_name, name) IN (
                    SELECT a.table_name, a.name FROM content_announced a
                    WHERE a.app_id = $1 AND a.set_name = $2 ORDER BY a.table_name, a.name LIMIT 500)
                """,
                app,
                set
            )
            return true
        }
        guard
            let set = try orphanedSet(
                "SELECT set_name FROM content_bundles WHERE app_id = $1 AND set_name > $2 ORDER BY set_name LIMIT 1",
                app: app
            )
        else { return try removeAnnounced(app: app, before: before.advanced(by: .seconds(-Self.announcedTime))) }
        try connection.run(
            """
            DELETE FROM content_bundles
            WHERE app_id = $1 AND set_name = $2 AND (table_name, due_at, user_id, name) IN (
                SELECT b.table_name, b.due_at, b.user_id, b.name FROM content_bundles b
                WHERE b.app_id = $1 AND b.set_name = $2
                ORDER BY b.table_name, b.due_at, b.user_id, b.name LIMIT 500)
            """,
            app,
            set
        )
        return true
    }

    /// How long a row that is gone is remembered as one that there was an alert about, in seconds: 400 days.
    private static let announcedTime: Int64 = 400 * 86_400

    /// Forgets rows that there were alerts about long ago.
    private func removeAnnounced(app: AppID, before: Timestamp) throws -> Bool {
        try connection.run(
            """
            DELETE FROM content_announced WHERE app_id = $1 AND (set_name, table_name, name) IN (
                SELECT a.set_name, a.table_name, a.name FROM content_announced a
                WHERE a.app_id = $1 AND a.at < $2 ORDER BY a.at LIMIT 500)
            """,
            app,
            before
        ) > 0
    }

    /// The first set in a table's rows that is gone; each set is one look-up.
    private func orphanedSet(_ next: SQL, app: AppID) throws -> String? {
        var last = ""
        while let set = try connection.first(next, app, last, as: String.self) {
            let isThere = try connection.first(
                "SELECT 1 FROM content_sets WHERE app_id = $1 AND name = $2",
                app,
                set
            ) { _ in true }
            if isThere == nil { return set }
            last = set
        }
        return nil
    }
}

extension ContentFollow {
    /// What is followed, as an export has it.
    var exported: JSONValue {
        let data = try? JSONEncoder.sorted().encode(query)
        let query = data.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) }
        return .object([
            "set": .string(set), "table": .string(table), "query": query ?? .null, "isBundled": .bool(isBundled),
        ])
    }
}
