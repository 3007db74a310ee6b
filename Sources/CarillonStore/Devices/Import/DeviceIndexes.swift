import CarillonEngine
import CarillonModel
import CarillonSQL

/// The indexes of `devices`, and on PostgreSQL the key of `device_tags`, which an import into an empty store builds once
/// instead of a row at a time: that is faster, and their pages are full.
enum DeviceIndexes {
    /// One of them.
    struct Index: Hashable, Sendable {
        let name: String
        let create: String

        static let publicID = Index(
            name: "devices_by_public_id",
            create: """
                CREATE UNIQUE INDEX IF NOT EXISTS devices_by_public_id ON devices (app_id, public_id);
                """
        )
        static let user = Index(
            name: "devices_by_user",
            create: """
                CREATE INDEX IF NOT EXISTS devices_by_user ON devices (app_id, user_id) WHERE user_id IS NOT NULL;
                """
        )
        static let token = Index(
            name: "devices_by_token",
            create: """
                CREATE INDEX IF NOT EXISTS devices_by_token ON devices (
                    app_id, substr(token, 1, 4), substr(token, length(token) - 3)) WHERE token IS NOT NULL;
                """
        )
        static let tags = Index(
            name: "device_tags_pkey",
            create: """
                CREATE UNIQUE INDEX IF NOT EXISTS device_tags_pkey ON device_tags (app_id, tag, device_number);
                """
        )
    }

    /// All of them, those first that no registration is right without.
    static func all(_ dialect: Dialect) -> [Index] {
        dialect == .sqlite ? [.publicID, .user, .token] : [.publicID, .tags, .user, .token]
    }

    static func drop(_ dialect: Dialect) -> String {
        let drop = """
            DROP INDEX IF EXISTS devices_by_public_id;
            DROP INDEX IF EXISTS devices_by_user;
            DROP INDEX IF EXISTS devices_by_token;

            """
        return dialect == .sqlite
            ? drop
            : drop + """
                ALTER TABLE device_tags DROP CONSTRAINT IF EXISTS device_tags_pkey;
                DROP INDEX IF EXISTS device_tags_pkey;
                """
    }

    /// Those that an import left behind when it was cut off.
    static func missing(_ connection: any SQLConnection) throws -> [Index] {
        let sqlite: SQL = """
            SELECT name FROM sqlite_master WHERE type = 'index'
                AND name IN ('devices_by_public_id', 'devices_by_user', 'devices_by_token') LIMIT 4
            """
        let postgreSQL: SQL = """
            SELECT CAST(indexname AS TEXT) FROM pg_indexes WHERE schemaname = current_schema()
                AND indexname IN ('devices_by_public_id', 'devices_by_user', 'devices_by_token', 'device_tags_pkey')
            LIMIT 4
            """
        let sql = connection.dialect.pick(sqlite: sqlite, postgreSQL: postgreSQL)
        let found = try connection.all(sql, as: String.self)
        return all(connection.dialect).filter { !found.contains($0.name) }
    }
}

extension Database {
    /// Builds the indexes of `devices` that an import left out, or left behind when it was cut off.
    ///
    /// Each is a transaction of its own without a time limit: what is built stays, whatever comes after.
    ///
    /// - Parameter progress: Is told before each of them.
    /// - Throws: ``StoreError``; what was built stays.
    func completeDeviceIndexes(_ progress: @escaping StoreProgress.Handler = { _ in }) async throws(StoreError) {
        let missing = try await read { connection in try DeviceIndexes.missing(connection) }
        guard !missing.isEmpty else { return }
        for index in missing {
            progress(.building(index: index.name))
            let patience = StoreProgress.patience(for: index.name, progress)
            try await maintenance(patience: patience) { session in
                try await session.transaction { connection in
                    try connection.lock(.schema)
                    try connection.imports.sortingInParts {
                        try connection.execute(script: index.create)
                    }
                }
            }
        }
        try await maintenance { session in
            try await session.transaction { connection in
                try connection.plannerStatistics.describeIndexes()
                guard connection.dialect == .postgreSQL else { return }
                try connection.execute(script: "ANALYZE devices; ANALYZE device_tags")
            }
        }
    }
}

extension ImportTable {
    /// Lets SQLite sort four megabytes at once, while the next are read.
    ///
    /// It sorts as much as its cache may hold, which else is all of a million Devices: then reading waits for sorting.
    fileprivate func sortingInParts(_ body: () throws -> Void) throws {
        guard connection.dialect == .sqlite else { return try body() }
        let size = try connection.first("PRAGMA cache_size", as: Int64.self)
        try connection.execute(script: "PRAGMA cache_size = -4096")
        defer { if let size { try? connection.execute(script: "PRAGMA cache_size = \(size)") } }
        try body()
    }
}
