package import StoreErrors

/// One step of the schema.
///
/// Its name is stored in the database, and it never changes once databases have it. So its script has literal numbers
/// and words, not constants of the program, which change.
package struct Migration: Sendable {
    /// The name in `schema_migrations`: a number and a few words for the reader.
    package let name: String
    /// Indexes that PostgreSQL builds before the step, concurrently; the script creates them if they are missing.
    package let indexesAhead: [IndexAhead]
    /// The statements, separated by semicolons.
    package let script: @Sendable (Dialect) -> String

    /// - Parameters:
    ///   - name: The name in `schema_migrations`.
    ///   - indexesAhead: Indexes of tables that may be large.
    ///   - script: The statements.
    package init(name: String, indexesAhead: [IndexAhead] = [], script: @escaping @Sendable (Dialect) -> String) {
        self.name = name
        self.indexesAhead = indexesAhead
        self.script = script
    }
}

extension Database {
    /// Applies the missing migrations.
    ///
    /// Each step is a transaction without a time limit. One that meets locks of others is undone and retried until they
    /// are released, so that nobody queues behind it.
    ///
    /// - Parameters:
    ///   - migrations: All migrations, in order.
    ///   - now: The time to record for new ones, in milliseconds since 1970.
    ///   - progress: Called before each step, and while it waits.
    /// - Throws: ``StoreError/failed(_:)`` when the database has an unknown migration; nothing is changed then.
    package func migrate(
        _ migrations: [Migration],
        now: Int64,
        progress: @escaping StoreProgress.Handler = { _ in }
    ) async throws(StoreError) {
        let applied = try await appliedMigrations()
        if let unknown = Set(applied).subtracting(migrations.map(\.name)).min() {
            throw .failed(
                "The database has the step \"\(unknown)\", which a newer version made. "
                    + "Run that version or a newer one, or restore a backup that this version made."
            )
        }
        for migration in migrations where !applied.contains(migration.name) {
            progress(.migrating(step: migration.name))
            let patience = StoreProgress.patience(for: migration.name, progress)
            try await maintenance(patience: patience) { session in
                for index in migration.indexesAhead { try await session.build(index) }
                try await session.transaction { connection in
                    try connection.apply(migration, now: now)
                }
            }
        }
    }

    /// Returns the names of the applied migrations; empty for a new database.
    package func appliedMigrations() async throws(StoreError) -> [String] {
        try await read { connection in
            let exists = try connection.first(
                connection.dialect.pick(
                    sqlite: "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'",
                    postgreSQL: "SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL"
                )
            ) { _ in true }
            guard exists != nil else { return [] }
            return try connection.all("SELECT name FROM schema_migrations LIMIT 10000") { $0.string(0) }
        }
    }
}

extension SQLConnection {
    fileprivate func apply(_ migration: Migration, now: Int64) throws(StoreError) {
        try lock(.schema)
        try execute(
            script: """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                    name \(dialect.text) NOT NULL PRIMARY KEY,
                    applied_at BIGINT NOT NULL
                )
                """
        )
        // Another node may have applied it meanwhile.
        let known = try first("SELECT 1 FROM schema_migrations WHERE name = $1", migration.name) { _ in true }
        guard known == nil else { return }
        try execute(script: migration.script(dialect))
        try run("INSERT INTO schema_migrations (name, applied_at) VALUES ($1, $2)", migration.name, now)
    }
}
