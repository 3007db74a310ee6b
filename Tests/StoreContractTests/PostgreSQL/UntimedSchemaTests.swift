import CarillonEngine
import CarillonModel
import Foundation
import TestStores
import TestSupport
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Work on tables and indexes, whose duration depends on the number of rows, has no time limit.
///
/// The server itself refuses it for a session with a statement timeout.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct UntimedSchemaTests {
    private let now = Timestamp(rawValue: 1_700_000_000_000)

    @Test("Migrations, partitions and an import's indexes have no time limit")
    func startsAndImports() async throws {
        try await withRefusal { database, _ in
            let stores = try await Stores(migrating: database, now: now)
            #expect(try await stores.deviceImports.beginBulk())
            try await stores.deviceImports.endBulk()
            let missing = try await database.read { connection in
                try DeviceIndexes.missing(connection).map(\.name)
            }
            #expect(missing == [])
            // A year later none of the required partitions exist.
            _ = try await Stores(migrating: database, now: now.advanced(by: .seconds(365 * 86_400)))
        }
    }

    @Test("A store transfer has no time limit")
    func moves() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "store.sqlite").path
            let source = try SQLiteDatabase(path: path)
            _ = try await DeliveryFixture(source, devices: 20)
            source.close()
            try await withRefusal { _, url in
                let counts = try await PostgreSQLMigration(path: path, target: url).run(now: now)
                #expect(counts.contains { $0.table == "devices" && $0.found == 20 })
            }
        }
    }

    @Test("The test refuses sessions with a time limit")
    func refuses() async throws {
        try await withRefusal { database, _ in
            await #expect(throws: StoreError.self) {
                try await database.write { connection in
                    try connection.execute(script: "CREATE TABLE t (id BIGINT)")
                }
            }
        }
    }

    // MARK: - Private

    /// Provides an empty database whose server creates no table and no index for a session with a time limit.
    private func withRefusal(_ body: (PostgreSQLDatabase, String) async throws -> Void) async throws {
        try await TestPostgreSQL.withEmptyDatabase { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            try await database.write { connection in
                try connection.execute(
                    script: """
                        CREATE FUNCTION refuse_limits() RETURNS event_trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF current_setting('statement_timeout') <> '0' THEN
                                RAISE EXCEPTION '% under a time limit', tg_tag;
                            END IF;
                        END $$;
                        CREATE EVENT TRIGGER refuse_limits ON ddl_command_start
                            WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE', 'CREATE INDEX', 'DROP INDEX')
                            EXECUTE FUNCTION refuse_limits()
                        """
                )
            }
            try await body(database, url)
        }
    }
}
