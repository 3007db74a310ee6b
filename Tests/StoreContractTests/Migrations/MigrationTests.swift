import CarillonEngine
import CarillonModel
import Testing

@testable import CarillonStore

@Suite struct MigrationTests {
    private let now = Timestamp(rawValue: 1_800_000_000_000)

    @Test(arguments: StoreKind.allCases)
    func `the schema is made once`(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            try await database.migrate(now: now)
            try await database.migrate(now: Timestamp(rawValue: 2))

            let applied = try await database.read { connection throws(StoreError) in
                try connection.all("SELECT name, applied_at FROM schema_migrations ORDER BY name") { row in
                    row.string(0) + " \(row.int64(1))"
                }
            }
            #expect(applied == Migration.all.map { $0.name + " 1800000000000" })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a step that fails leaves nothing behind`(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let good = Migration(name: "0001 good") { _ in "CREATE TABLE good (id BIGINT)" }
            let bad = Migration(name: "0002 bad") { _ in "CREATE TABLE half (id BIGINT); CREATE NONSENSE" }

            await #expect(throws: StoreError.self) { try await database.migrate([good, bad], now: now) }

            try await database.write { connection throws(StoreError) in
                try connection.execute(script: "INSERT INTO good (id) VALUES (1)")
            }
            await #expect(throws: StoreError.self) {
                try await database.write { connection throws(StoreError) in
                    try connection.execute(script: "INSERT INTO half (id) VALUES (1)")
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a database of a newer version is left alone`(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let newer = Migration(name: "9999 newer") { _ in "CREATE TABLE newer (id BIGINT)" }
            try await database.migrate(Migration.all + [newer], now: now)

            await #expect(
                throws: StoreError.failed("The database has the step \"9999 newer\", which a newer version made.")
            ) {
                try await database.migrate(now: now)
            }
        }
    }
}
