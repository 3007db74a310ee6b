import CarillonEngine
import CarillonSQL
import CarillonStore

/// PostgreSQL databases with the schema, which tests use one after another.
///
/// To make a database, connect to it and prepare statements costs far more than what a test does there. So the next test
/// gets it emptied, and with its connections. A database whose tables a test has changed is dropped.
actor TestPool {
    /// A database that a test has for itself.
    struct Lent: Sendable {
        let url: String
        let database: PostgreSQLDatabase
    }

    private var idle: [Lent] = []
    /// How many more may be lent.
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes a pool without databases.
    ///
    /// - Parameter limit: How many are lent at once, each with some connections: tests may run in their hundreds beside
    ///   each other.
    init(limit: Int) { free = limit }

    func take() async throws -> Lent {
        await takeTurn()
        if let known = idle.popLast() { return known }
        do {
            let url = try await TestPostgreSQL.makeDatabase(hasSchema: true)
            return Lent(url: url, database: try PostgreSQLDatabase(url, options: TestPostgreSQL.options))
        } catch {
            endTurn()
            throw error
        }
    }

    func giveBack(_ lent: Lent) async {
        if await isAsNew(lent) {
            idle.append(lent)
        } else {
            lent.database.close()
            try? await TestPostgreSQL.drop(lent.url)
        }
        endTurn()
    }

    // MARK: - Private

    private func isAsNew(_ lent: Lent) async -> Bool {
        guard (try? await lent.database.removeRows()) != nil else { return false }
        guard let schema = try? await TestPostgreSQL.schema() else { return false }
        return (try? await lent.database.schema()) == schema
    }

    private func takeTurn() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endTurn() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension PostgreSQLDatabase {
    /// What a database is made of, as one text: tables with their columns, indexes, constraints, triggers, functions.
    func schema() async throws(StoreError) -> String {
        try await read { connection in
            try connection.first(
                """
                SELECT md5(string_agg(name, ',' ORDER BY name)) FROM (
                    SELECT c.relname || '.' || CAST(c.relkind AS TEXT) || c.relnatts AS name
                    FROM pg_class c WHERE c.relnamespace = CAST('public' AS regnamespace)
                    UNION ALL SELECT r.conname || '.' || CAST(r.contype AS TEXT)
                    FROM pg_constraint r WHERE r.connamespace = CAST('public' AS regnamespace)
                    UNION ALL SELECT CAST(t.tgname AS TEXT) FROM pg_trigger t
                    UNION ALL SELECT CAST(p.proname AS TEXT)
                    FROM pg_proc p WHERE p.pronamespace = CAST('public' AS regnamespace)
                ) AS things
                """
            ) { $0.string(0) } ?? ""
        }
    }

    /// Empties every table but that of the migrations.
    ///
    /// To delete few rows is faster than to truncate, but leaves their space behind.
    fileprivate func removeRows() async throws(StoreError) {
        try await write(priority: .bulk) { connection in
            try connection.execute(
                script: """
                    DO $$ DECLARE t record; BEGIN
                        FOR t IN SELECT CAST(c.oid AS regclass) AS name, pg_relation_size(c.oid) AS size
                            FROM pg_class c
                            WHERE c.relnamespace = CAST('public' AS regnamespace) AND c.relkind = 'r'
                                AND c.relname <> 'schema_migrations' AND pg_relation_size(c.oid) > 0
                        LOOP
                            IF t.size > 65536
                            THEN EXECUTE format('TRUNCATE %s', t.name);
                            ELSE EXECUTE format('DELETE FROM %s', t.name);
                            END IF;
                        END LOOP;
                    END $$
                    """
            )
        }
    }
}
