import CarillonEngine
import CarillonSQL
import TestStores
import Testing

/// Indexes of large tables that PostgreSQL builds concurrently before the migration that needs them.
struct IndexAheadTests {
    private static let table = Migration(name: "0001 table") { dialect in
        "CREATE TABLE t (app_id BIGINT NOT NULL, id BIGINT NOT NULL, text \(dialect.text) NOT NULL)"
    }

    /// A migration with the index, and statements that follow.
    private static func index(_ rest: String = "") -> Migration {
        let ahead = IndexAhead(name: "t_by_id", table: "t", columns: "(id, app_id)")
        return Migration(name: "0002 index", indexesAhead: [ahead]) { _ in
            "CREATE UNIQUE INDEX IF NOT EXISTS t_by_id ON t (id, app_id);" + rest
        }
    }

    @Test("A large table's index is built beforehand, a small one's with the migration", arguments: StoreKind.allCases)
    func isBuiltAhead(_ kind: StoreKind) async throws {
        for isLarge in [false, true] {
            try await kind.withDatabase(hasSchema: false) { database in
                try await database.migrate([Self.table], now: 0)
                if isLarge, kind == .postgreSQL { try await fill(database) }

                await #expect(throws: StoreError.self) {
                    try await database.migrate([Self.table, Self.index("CREATE NONSENSE")], now: 0)
                }
                // The index was built outside the migration's transaction and stays.
                #expect(try await hasIndex(database) == (isLarge && kind == .postgreSQL))

                try await database.migrate([Self.table, Self.index()], now: 0)
                #expect(try await hasIndex(database))
            }
        }
    }

    @Test(
        "An index whose build was interrupted is built again",
        .enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"),
        arguments: [false, true]
    )
    func isBuiltAgain(_ isLarge: Bool) async throws {
        try await StoreKind.postgreSQL.withDatabase(hasSchema: false) { database in
            try await database.migrate([Self.table], now: 0)
            try await fill(database)
            // A duplicate makes the build fail half way, as the end of the process does.
            await #expect(throws: StoreError.self) {
                try await database.maintenance { session in
                    try await session.execute(
                        outsideTransaction: "CREATE UNIQUE INDEX CONCURRENTLY t_by_id ON t (app_id)",
                        waitsForLocks: true
                    )
                }
            }
            if !isLarge {
                try await database.maintenance { session in
                    try await session.execute(outsideTransaction: "TRUNCATE t")
                }
            }

            try await database.migrate([Self.table, Self.index()], now: 0)

            #expect(try await hasIndex(database))
        }
    }

    /// Writes more rows than a migration builds an index for.
    private func fill(_ database: any Database) async throws {
        try await database.write(priority: .bulk) { connection in
            try connection.execute(
                script: "INSERT INTO t SELECT 7, n, repeat('a', 500) FROM generate_series(1, 20000) AS n"
            )
        }
    }

    /// Whether the index exists, with both columns, and is valid.
    private func hasIndex(_ database: any Database) async throws -> Bool {
        try await database.read { connection in
            try connection.first(
                connection.dialect.pick(
                    sqlite: "SELECT 1 FROM sqlite_schema WHERE name = 't_by_id' AND sql LIKE '%(id, app_id)' LIMIT 1",
                    postgreSQL: """
                        SELECT 1 FROM pg_index WHERE indexrelid = to_regclass('t_by_id') AND indisvalid
                            AND pg_get_indexdef(indexrelid) LIKE '%(id, app_id)' LIMIT 1
                        """
                )
            ) { _ in true } ?? false
        }
    }
}
