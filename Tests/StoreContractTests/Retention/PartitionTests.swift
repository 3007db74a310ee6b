import CarillonEngine
import CarillonModel
import CarillonSQL
import Dispatch
import TestStores
import Testing

@testable import CarillonStore

/// Partitions are created and dropped while the tables are used.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct PartitionTests {
    /// A day after the begin of a week: the next one is far enough away to be attached by a constraint.
    private static let now = Timestamp(rawValue: (2_810 * 7 + 1) * 86_400_000)
    private static let week = WeekPartition.week(of: now)

    private func insert(_ database: any Database, week: Int64, rows: Int64 = 10) async throws {
        let first = WeekPartition(table: "deliveries", week: week).firstOccurrence
        _ = try await database.write { connection in
            try connection.run(
                """
                INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                SELECT 7, CAST($1 AS BIGINT) + 5, i, 1, 1, 0, 0 FROM generate_series(1, CAST($2 AS BIGINT)) AS i
                """,
                first,
                rows
            )
        }
    }

    private func count(_ database: any Database, _ sql: SQL) async throws -> Int {
        try await database.read { connection in try connection.first(sql) { $0.int(0) } } ?? -1
    }

    private func withStore(_ body: (any Database, any RetentionStore) async throws -> Void) async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            try await database.write { connection in
                try connection.execute(
                    script: """
                        INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                        VALUES (7, 'Shop', 'com.example.shop', 'open', 0, 100)
                        """
                )
            }
            try await body(database, RetentionRepository(database: database))
        }
    }

    @Test("A large default partition is not scanned under a lock, and no constraint stays")
    func attachesWithoutScan() async throws {
        try await withStore { database, _ in
            try await insert(database, week: Self.week - 10, rows: 3_000)
            try await insert(database, week: Self.week)
            let report = try await database.maintenance { session in
                var partitions = PartitionMaintenance(session: session, table: "deliveries")
                partitions.smallDefault = 0
                return try await partitions.make(Self.week...(Self.week + 3), at: Self.now)
            }
            // This week has rows already, which have to stay.
            #expect(report.missing == ["deliveries_w\(Self.week)"])
            #expect(report.made == 3)
            let layout = try await database.read { connection in
                try connection.retention.partitionLayout(of: "deliveries")
            }
            #expect(layout.attached == [Self.week + 1, Self.week + 2, Self.week + 3])
            #expect(!layout.hasConstraint && layout.detached.isEmpty)
            try await insert(database, week: Self.week + 2)
            try await insert(database, week: Self.week + 9)
            #expect(try await count(database, "SELECT count(*) FROM deliveries_rest") == 3_020)
            #expect(try await count(database, "SELECT count(*) FROM deliveries") == 3_030)
        }
    }

    @Test("A start does not scan a large default partition")
    func brief() async throws {
        try await withStore { database, _ in
            try await insert(database, week: Self.week - 10)
            let report = try await database.maintenance { session in
                var partitions = PartitionMaintenance(session: session, table: "deliveries")
                partitions.smallDefault = 0
                partitions.mayValidate = false
                return try await partitions.make(Self.week...(Self.week + 3), at: Self.now)
            }
            #expect(report.made == 0 && report.missing.count == 4)
        }
    }

    @Test("Leftovers of interrupted maintenance are completed or removed")
    func resumes() async throws {
        try await withStore { database, store in
            try await database.write { connection in
                try connection.execute(
                    script: """
                        CREATE TABLE deliveries_w\(Self.week + 1) (LIKE deliveries INCLUDING ALL);
                        CREATE TABLE deliveries_w\(Self.week - 30) (LIKE deliveries INCLUDING ALL);
                        ALTER TABLE deliveries_rest ADD CONSTRAINT \(PartitionMaintenance.constraint(of: "deliveries"))
                            CHECK (occurrence_id < 5) NOT VALID
                        """
                )
            }
            let report = try await store.makePartitions(
                from: Self.now,
                through: Self.now.advanced(by: .seconds(86_400 * 21)),
                .thorough
            )
            #expect(report.missing == [] && report.made == 8)
            _ = try await store.dropPartitions(of: .deliveries, before: Self.now)
            let layout = try await database.read { connection in
                try connection.retention.partitionLayout(of: "deliveries")
            }
            #expect(!layout.hasConstraint && layout.detached.isEmpty && layout.attached.count == 4)
        }
    }

    @Test("During a dump requests continue; blocked steps are reported, and done afterwards")
    func letsTrafficPass() async throws {
        try await withStore { database, store in
            let later = Self.now.advanced(by: .seconds(86_400 * 70))
            _ = try await store.makePartitions(from: Self.now, through: Self.now, .thorough)
            try await insert(database, week: Self.week)
            let held = DispatchSemaphore(value: 0)
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            // The lock that pg_dump holds while it runs.
            async let dump: Void = database.maintenance { session in
                try await session.transaction { connection in
                    // Longer than a suspended node may hold a lock.
                    try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0")
                    try connection.execute(script: "LOCK TABLE deliveries, deliveries_rest IN ACCESS SHARE MODE")
                    started.yield()
                    held.wait()
                }
            }
            for await _ in starts { break }
            let made: PartitionReport
            let dropped: DroppedPartitions
            do {
                async let report = store.makePartitions(from: later, through: later, .brief)
                // Many writes while it waits: none of them fails or queues for long.
                for _ in 0..<20 { try await insert(database, week: Self.week + 4, rows: 0) }
                made = try await report
                dropped = try await database.maintenance(patience: PartitionPatience.brief.lockPatience) {
                    session in
                    try await PartitionMaintenance(session: session, table: "deliveries").drop(before: later)
                }
            } catch {
                held.signal()
                throw error
            }
            held.signal()
            try await dump
            #expect(made.missing.contains { $0.hasPrefix("deliveries_w") })
            #expect(dropped.pending == 1 && dropped.dropped == 0)

            #expect(try await store.makePartitions(from: later, through: later, .thorough).missing == [])
            #expect(try await store.dropPartitions(of: .deliveries, before: later).dropped == 1)
        }
    }

    @Test("Existing weeks are not reported as missing while their table is locked")
    func looksBehindALock() async throws {
        try await withStore { database, store in
            let later = Self.now.advanced(by: .seconds(86_400 * 14))
            _ = try await store.makePartitions(from: Self.now, through: Self.now, .thorough)
            let held = DispatchSemaphore(value: 0)
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            async let lock: Void = database.maintenance { session in
                try await session.transaction { connection in
                    // Longer than a suspended node may hold a lock.
                    try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0")
                    try connection.execute(script: "LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE")
                    started.yield()
                    held.wait()
                }
            }
            for await _ in starts { break }
            let now = try? await store.makePartitions(from: Self.now, through: Self.now, .brief)
            let ahead = try? await store.makePartitions(from: later, through: later, .brief)
            held.signal()
            try await lock
            #expect(now?.missing == [])
            #expect(ahead?.missing == ["deliveries_w\(WeekPartition.week(of: later))"])
        }
    }

    @Test("A week with rows of an incomplete Occurrence stays, the others are dropped")
    func keepsOpen() async throws {
        try await withStore { database, store in
            let end = Self.now.advanced(by: .seconds(86_400 * 28))
            _ = try await store.makePartitions(from: Self.now, through: end, .thorough)
            for week in 0..<3 { try await insert(database, week: Self.week + Int64(week)) }
            let open = WeekPartition(table: "deliveries", week: Self.week + 1).firstOccurrence + 5
            _ = try await database.write { connection in
                try connection.run(
                    """
                    INSERT INTO waves (app_id, occurrence_id, wave, campaign_id, due_at, cursor, is_read)
                    VALUES (7, $1, 1, 1, 0, 0, 0)
                    """,
                    open
                )
            }
            let report = try await store.dropPartitions(of: .deliveries, before: end)
            #expect(report.held == 1 && report.pending == 0 && report.dropped >= 2)
            #expect(try await count(database, "SELECT count(*) FROM deliveries") == 10)
            #expect(try await store.dropPartitions(of: .events, before: end).held == 0)
        }
    }
}
