import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// A table is locked for a long time: an index is built, or an operator's session is left open.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"), .timeLimit(.minutes(5)))
struct LockedTableTests {
    @Test(
        "Heartbeats are stored whatever table is locked",
        arguments: ["devices", "deliveries", "chunks", "dispatcher_waits"]
    )
    func heartbeatsComeThrough(_ table: String) async throws {
        try await withLock(on: table) { fixture, _ in
            for _ in 1...3 {
                // Waits are stored separately from the heartbeat, in another table.
                let waits: [CommitWait]? = table == "dispatcher_waits" ? nil : []
                let isAlive = try await fixture.store.beat(fixture.session, waits: waits, at: fixture.now)
                #expect(isAlive)
            }
        }
    }

    @Test("A commit behind a lock fails soon, and is stored later", arguments: ["deliveries", "chunks"])
    func commitsFailSoon(_ table: String) async throws {
        try await withLock(on: table) { fixture, lock in
            let lease = try #require(lock.lease)
            await #expect(throws: StoreError.self) {
                _ = try await fixture.store.commit(fixture.commit(lease, accepted: 1...2))
            }
            #expect(try await fixture.store.beat(fixture.session, waits: nil, at: fixture.now))
            await lock.end()
            #expect(try await fixture.store.commit(fixture.commit(lease, accepted: 1...2)) == .held(.sending))
            #expect(try await fixture.funnel().accepted == 2)
        }
    }

    @Test("Outcomes are stored while the devices are locked, and token verdicts afterwards")
    func outcomesAreKept() async throws {
        try await withLock(on: "devices") { fixture, lock in
            let lease = try #require(lock.lease)
            #expect(try await fixture.store.commit(fixture.commit(lease, accepted: 1...2)) == .held(.sending))
            let verdicts = TokenVerdicts(
                app: fixture.app,
                campaign: fixture.campaign.id,
                at: fixture.now,
                verdicts: [
                    ChunkCommit.TokenVerdict(
                        device: DeviceNumber(rawValue: 1),
                        pushType: .apns,
                        token: fixture.token(1),
                        .dead,
                        since: fixture.now,
                        reason: FailureReason(rawValue: "Unregistered")
                    )
                ]
            )
            await #expect(throws: StoreError.self) { _ = try await fixture.store.save(verdicts) }
            await lock.end()
            #expect(try await fixture.store.save(verdicts) == 1)
        }
    }

    @Test("Recent sends are deleted in the order of their Devices, in whatever order answers arrive")
    func forgetsInOrder() async throws {
        let row = "SELECT 1 FROM recent_sends WHERE device_number = 1 FOR UPDATE"
        try await withLock(row, preparing: rememberOldSends) { fixture, lock in
            var commit = fixture.commit(try #require(lock.lease), accepted: 1...2)
            commit.memory = ChunkCommit.Memory(isAd: false, isCapped: true, keptSince: fixture.now)
            commit.sends = commit.rows.reversed().map { row in
                ChunkCommit.Send(device: row.device, pushType: .apns, message: 1)
            }
            let (store, waiting) = (fixture.store, commit)
            let answer = Task { try await store.commit(waiting) }
            while try await !somebodyWaits(fixture.database) {}
            let free = try await fixture.database.write { connection in
                try connection.first(
                    "SELECT 1 FROM recent_sends WHERE device_number = 2 FOR UPDATE SKIP LOCKED"
                ) { $0.int(0) }
            }
            #expect(free == 1, "who waits for the first Device's has no other's yet")
            await lock.end()
            #expect(try await answer.value == .held(.sending))
        }
    }

    @Test("An import that waits too long for a lock on the devices reports that it cannot begin")
    func beginsNoImport() async throws {
        try await withLock(on: "devices") { fixture, lock in
            let imports = DeviceImportRepository(database: fixture.database, lockTime: .milliseconds(200))
            await #expect(throws: StoreError.self) { _ = try await imports.beginBulk() }
            await lock.end()
            let isEmpty = try await imports.beginBulk()
            #expect(!isEmpty)
        }
    }

    private func somebodyWaits(_ database: any Database) async throws -> Bool {
        try await database.read { connection in
            try connection.first(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1
                """,
                read: { _ in true }
            ) ?? false
        }
    }

    /// Old sends to the first two Devices.
    private func rememberOldSends(_ fixture: DeliveryFixture) async throws {
        try await fixture.run(
            """
            INSERT INTO recent_sends (app_id, device_number, occurrence_id, push_type, at, is_ad, is_capped, message)
            SELECT 7, n, 1, 1, 0, 0, 1, 0 FROM generate_series(1, 2) AS n
            """
        )
    }

    /// A lock that a session holds.
    private final class Lock: Sendable {
        let lease: Lease?
        private let isOver = NIOLockedValueBox(false)
        private let holder = NIOLockedValueBox<Task<Void, any Error>?>(nil)

        init(lease: Lease?) { self.lease = lease }

        var mustEnd: Bool { isOver.withLockedValue { $0 } }

        func isHeld(by task: Task<Void, any Error>) { holder.withLockedValue { $0 = task } }

        func end() async {
            isOver.withLockedValue { $0 = true }
            _ = await holder.withLockedValue { $0 }?.result
        }
    }

    /// Provides a Campaign with a leased Chunk, while another session has locked the table.
    private func withLock(on table: String, _ body: (DeliveryFixture, Lock) async throws -> Void) async throws {
        try await withLock("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE", body)
    }

    /// As ``withLock(on:_:)``, with any statement that takes a lock.
    private func withLock(
        _ statement: String,
        preparing prepare: (DeliveryFixture) async throws -> Void = { _ in },
        _ body: (DeliveryFixture, Lock) async throws -> Void
    ) async throws {
        try await withPostgreSQL { url in
            var options = TestPostgreSQL.options
            options.bulkTime = .seconds(5)
            let first = try PostgreSQLDatabase(url, options: options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            let fixture = try await DeliveryFixture(first, devices: 4, other: second)
            let lock = Lock(lease: try await fixture.lease(limit: 10))
            try await prepare(fixture)
            let (isHeld, hold) = AsyncStream.makeStream(of: Void.self)
            lock.isHeld(
                by: Task {
                    try await second.write(priority: .bulk) { connection in
                        try connection.execute(script: statement)
                        hold.finish()
                        // The server ends a session that does nothing within a transaction.
                        while !lock.mustEnd {
                            _ = try connection.first("SELECT 1 FROM pg_sleep(0.01)") { $0.int(0) }
                        }
                    }
                }
            )
            for await _ in isHeld {}
            do {
                try await body(fixture, lock)
                await lock.end()
            } catch {
                await lock.end()
                throw error
            }
        }
    }
}
