package import CarillonEngine
package import CarillonModel

/// One step of the schema.
///
/// It has a name that is kept in the database, and is never edited after a release.
package struct Migration: Sendable {
    /// Kept in `schema_migrations`: a number for the reader and a few words.
    let name: String
    /// The statements, separated by semicolons.
    let script: @Sendable (Dialect) -> String

    /// All steps, in the order in which they run.
    package static let all: [Migration] = [
        .registry, .deliveries, .labels, .inbox, .adRule, .labelling, .audiences, .schedule, .content, .statistics,
        .webhooks, .retention, .userMessages, .imports, .facets, .dispatcherSessions, .commitMarks,
        .webhookTurns, .restores,
    ]
}

extension Database {
    /// Brings the schema up to date.
    ///
    /// Each step is a transaction of its own.
    ///
    /// - Throws: ``StoreError/failed(_:)`` when the database was written by a newer version.
    package func migrate(_ migrations: [Migration] = Migration.all, now: Timestamp) async throws(StoreError) {
        try await write { connection throws(StoreError) in
            try connection.lock(.schema)
            try connection.execute(
                script: connection.dialect.adapt(
                    """
                    CREATE TABLE IF NOT EXISTS schema_migrations (
                        name TEXT NOT NULL PRIMARY KEY,
                        applied_at BIGINT NOT NULL
                    )
                    """
                )
            )
        }
        let applied = try await read { connection throws(StoreError) in
            try connection.all("SELECT name FROM schema_migrations") { row in row.string(0) }
        }
        if let unknown = Set(applied).subtracting(migrations.map(\.name)).min() {
            throw .failed("The database has the step \"\(unknown)\", which a newer version made.")
        }
        for migration in migrations where !applied.contains(migration.name) {
            try await write { connection throws(StoreError) in
                try connection.lock(.schema)
                // Another node may have been faster.
                let known = try connection.first(
                    "SELECT 1 FROM schema_migrations WHERE name = $1",
                    migration.name
                ) { _ in true }
                guard known == nil else { return }
                try connection.execute(script: connection.dialect.adapt(migration.script(connection.dialect)))
                try connection.run(
                    "INSERT INTO schema_migrations (name, applied_at) VALUES ($1, $2)",
                    migration.name,
                    now
                )
            }
        }
    }
}
