import CarillonEngine
import CarillonModel
import CarillonSQL
import Dispatch
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonStore

@Suite(.timeLimit(.minutes(5))) struct MigrationTests {
    private let now = Timestamp(rawValue: 1_800_000_000_000)

    @Test("The schema is created once", arguments: StoreKind.allCases)
    func createsTheSchemaOnce(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let told = NIOLockedValueBox<[StoreProgress]>([])
            try await database.migrate(now: now) { progress in told.withLockedValue { $0.append(progress) } }
            try await database.migrate(now: Timestamp(rawValue: 2)) { progress in
                told.withLockedValue { $0.append(progress) }
            }

            let applied = try await database.read { connection in
                try connection.all("SELECT name, applied_at FROM schema_migrations ORDER BY name") { row in
                    row.string(0) + " \(row.int64(1))"
                }
            }
            #expect(applied == Migration.all.map { $0.name + " 1800000000000" })
            #expect(told.withLockedValue { $0 } == Migration.all.map { .migrating(step: $0.name) })
        }
    }

    @Test("A migration that fails leaves nothing", arguments: StoreKind.allCases)
    func undoesFailedMigrations(_ kind: StoreKind) async throws {
        try await kind.withDatabase(hasSchema: false) { database in
            let good = Migration(name: "0001 good") { _ in "CREATE TABLE good (id BIGINT)" }
            let bad = Migration(name: "0002 bad") { _ in "CREATE TABLE half (id BIGINT); CREATE NONSENSE" }

            await #expect(throws: StoreError.self) { try await database.migrate([good, bad], now: now.rawValue) }

            try await database.write { connection in
                try connection.execute(script: "INSERT INTO good (id) VALUES (1)")
            }
            await #expect(throws: StoreError.self) {
                try await database.write { connection in
                    try connection.execute(script: "INSERT INTO half (id) VALUES (1)")
                }
            }
        }
    }

    @Test(
        "A migration behind a lock reports that it waits, and runs when the lock is released",
        .enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server")
    )
    func waitsForLocks() async throws {
        let table = Migration(name: "0001 table") { _ in "CREATE TABLE t (id BIGINT)" }
        let column = Migration(name: "0002 column") { _ in "ALTER TABLE t ADD COLUMN more BIGINT" }
        try await StoreKind.postgreSQL.withDatabase(hasSchema: false) { database in
            try await database.migrate([table], now: 0)
            let held = DispatchSemaphore(value: 0)
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            async let holder: Void = database.maintenance { session in
                try await session.transaction { connection in
                    // Longer than a suspended node may hold a lock.
                    try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0")
                    try connection.execute(script: "LOCK TABLE t IN ACCESS SHARE MODE")
                    started.yield()
                    held.wait()
                }
            }
            for await _ in starts { break }
            let (told, tell) = AsyncStream.makeStream(of: StoreProgress.self)
            async let step: Void = {
                defer { tell.finish() }
                try await database.migrate([table, column], now: 0) { tell.yield($0) }
            }()
            let waits = await told.contains { progress in
                if case .waiting("0002 column", _) = progress { true } else { false }
            }
            held.signal()
            try await holder
            try await step

            #expect(waits)
            #expect(try await database.appliedMigrations().sorted() == ["0001 table", "0002 column"])
        }
    }
}

extension MigrationTests {
    /// Creates a schema with some migrations, which this version then refuses and leaves unchanged.
    private func refusal(of kind: StoreKind, _ steps: [Migration]) async throws -> StoreError? {
        try await kind.withDatabase(hasSchema: false) { database in
            try await database.migrate(steps, now: now.rawValue)
            let refusal = await #expect(throws: StoreError.self) { try await database.migrate(now: now) }
            #expect(try await database.appliedMigrations().sorted() == steps.map(\.name).sorted())
            return refusal
        }
    }

    private func step(_ name: String) -> Migration { Migration(name: name) { _ in "CREATE TABLE t (id BIGINT)" } }

    @Test("A database of a newer version is not changed", arguments: StoreKind.allCases)
    func refusesNewerVersions(_ kind: StoreKind) async throws {
        let message = """
            The database has the step "9000 newer", which a newer version made. \
            Run that version or a newer one, or restore a backup that this version made.
            """
        #expect(try await refusal(of: kind, Migration.all + [step("9000 newer")]) == .failed(message))
    }

    @Test("A database of a version before the first release is not changed", arguments: StoreKind.allCases)
    func refusesOldVersions(_ kind: StoreKind) async throws {
        let message = """
            A version before the first release made the database, and its schema cannot be brought up to date. \
            Start with an empty database. To keep the Devices, export them with the version that made the \
            database and import them into the new one.
            """
        #expect(try await refusal(of: kind, [step("0001 registry")]) == .failed(message))
    }

    @Test("A file that was moved to PostgreSQL is not changed", arguments: StoreKind.allCases)
    func refusesMovedFiles(_ kind: StoreKind) async throws {
        let message = "The file was moved to PostgreSQL. Name that database with --database."
        #expect(try await refusal(of: kind, Migration.all + [step(PostgreSQLMigration.mark)]) == .failed(message))
    }
}
