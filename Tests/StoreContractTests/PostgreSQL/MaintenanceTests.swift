import CarillonEngine
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Long work, concurrent with requests that wait for their answers.
@Suite struct MaintenanceTests {
    @Test("Maintenance writes like a write", arguments: StoreKind.allCases)
    func writes(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let count = try await database.maintenance { session in
                try await session.transaction { connection in
                    try connection.execute(script: "CREATE TABLE t (id BIGINT); INSERT INTO t VALUES (1), (2)")
                }
                try await session.execute(outsideTransaction: "ANALYZE t")
                return try await session.transaction { connection in
                    try connection.first("SELECT count(*) FROM t") { $0.int(0) }
                }
            }
            #expect(count == 2)

            await #expect(throws: StoreError.self) {
                try await database.maintenance { session in
                    try await session.transaction { connection in
                        try connection.execute(script: "INSERT INTO t VALUES (3); INSERT INTO nothing VALUES (1)")
                    }
                }
            }
            let left = try await database.read { connection in
                try connection.first("SELECT count(*) FROM t") { $0.int(0) }
            }
            #expect(left == 2)
        }
    }

    @Test("The pauses between attempts grow up to the longest, and end with the patience")
    func pauses() {
        var patience = LockPatience()
        func pauses(_ count: Int) -> [Duration?] {
            (1...count).map { patience.pause(after: LockWait(attempts: $0, elapsed: .seconds($0))) }
        }
        #expect(pauses(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(patience.pause(after: LockWait(attempts: 1_000_000, elapsed: .seconds(1))) == .seconds(10))

        patience.limit = .seconds(3)
        #expect(pauses(4) == [.milliseconds(100), .milliseconds(200), nil, nil])
    }
}

@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct PostgreSQLMaintenanceTests {
    @Test("A maintenance step that meets a lock does not block others, and is done when the lock is released")
    func letsOthersPass() async throws {
        try await withTable { database, other in
            let attempts = NIOLockedValueBox(0)
            let (waits, waited) = AsyncStream.makeStream(of: Int.self)
            try await holding("LOCK TABLE t IN ACCESS SHARE MODE", on: other) {
                let patience = patience { waited.yield($0.attempts) }
                let step = Task {
                    try await database.maintenance(patience: patience) { session in
                        try await session.transaction { connection in
                            attempts.withLockedValue { $0 += 1 }
                            try connection.execute(
                                script: "INSERT INTO t VALUES (7); ALTER TABLE t ADD COLUMN more BIGINT"
                            )
                        }
                    }
                }
                // It has met the lock, like maintenance during a dump, and writes continue meanwhile.
                var seen = 0
                for await attempt in waits {
                    try await database.write { connection in
                        _ = try connection.run("INSERT INTO t (id) VALUES (1)")
                    }
                    seen = attempt
                    if attempt == 3 { break }
                }
                #expect(seen == 3)
                return { try await step.value }
            }

            let rows = try await database.read { connection in
                try connection.all("SELECT id, more FROM t ORDER BY id LIMIT 10") { $0.int(0) }
            }
            #expect(rows == [1, 1, 1, 7])
            #expect(attempts.withLockedValue { $0 } >= 4)
        }
    }

    @Test("Patience that is over throws, and nothing is committed")
    func patienceEnds() async throws {
        try await withTable { database, other in
            var patience = patience()
            patience.limit = .milliseconds(60)
            try await holding("LOCK TABLE t IN ACCESS SHARE MODE", on: other) { [patience] in
                await #expect(throws: StoreError.self) {
                    try await database.maintenance(patience: patience) { session in
                        try await session.transaction { connection in
                            try connection.execute(script: "INSERT INTO t VALUES (1); DROP TABLE t")
                        }
                    }
                }
                return {}
            }
            #expect(try await count(database) == 0)
        }
    }

    @Test("Statements outside of transactions have no time limit, and a suspended node holds no lock for long")
    func outsideTransactions() async throws {
        try await withTable { database, _ in
            let limits = try await database.maintenance { session in
                try await session.execute(
                    outsideTransaction: "CREATE INDEX CONCURRENTLY t_by_id ON t (id)",
                    waitsForLocks: true
                )
                try await session.execute(outsideTransaction: "VACUUM (ANALYZE) t")
                return try await session.transaction { connection in
                    try connection.all(
                        """
                        SELECT setting FROM pg_settings WHERE name IN
                            ('statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')
                        ORDER BY name LIMIT 3
                        """
                    ) { $0.string(0) }
                }
            }
            #expect(limits == ["5000", "50", "0"])
            let valid = try await database.read { connection in
                try connection.first(
                    "SELECT 1 FROM pg_index WHERE indexrelid = CAST('t_by_id' AS regclass) AND indisvalid"
                ) { $0.int(0) }
            }
            #expect(valid == 1)
        }
    }

    @Test("A duplicate row is reported at once and not retried")
    func violations() async throws {
        try await withTable { database, _ in
            await #expect(throws: StoreError.self) {
                try await database.maintenance { session in
                    try await session.transaction { connection in
                        try connection.execute(script: "INSERT INTO t VALUES (1), (1); CREATE UNIQUE INDEX u ON t (id)")
                    }
                }
            }
        }
    }

    @Test("Cancelling ends a running statement, here and on the server", arguments: [true, false])
    func cancels(_ byClosing: Bool) async throws {
        try await withTable { database, other in
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await database.maintenance { session in
                    try await session.transaction { connection in
                        try connection.run("INSERT INTO t (id) VALUES (1)")
                        started.yield()
                        _ = try connection.first("SELECT 1 FROM pg_sleep(600)") { $0.int(0) }
                    }
                }
            }
            for await _ in starts { break }

            if byClosing { database.close() } else { task.cancel() }

            await #expect(throws: StoreError.unavailable("Maintenance was cancelled.")) { try await task.value }
            try await whenGone("carillon maintenance", other)
            #expect(try await count(other) == 0)
        }
    }

    @Test("Sessions beyond the maximum are refused")
    func bounded() async throws {
        try await withTable { database, _ in
            let gate = NIOLockedValueBox<[CheckedContinuation<Void, Never>]>([])
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<PostgreSQLMaintenance.limit {
                    group.addTask {
                        try await database.maintenance { _ in
                            await withCheckedContinuation { continuation in
                                gate.withLockedValue { $0.append(continuation) }
                                started.yield()
                            }
                        }
                    }
                }
                var count = 0
                for await _ in starts {
                    count += 1
                    if count == PostgreSQLMaintenance.limit { break }
                }

                await #expect(throws: StoreError.unavailable("8 maintenance sessions run already.")) {
                    try await database.maintenance { _ in }
                }
                for continuation in gate.withLockedValue({ $0 }) { continuation.resume() }
                try await group.waitForAll()
            }
            try await database.maintenance { _ in }
        }
    }
}

extension PostgreSQLMaintenanceTests {
    /// Provides two nodes' databases with a table.
    private func withTable(_ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Void) async throws {
        try await withPostgreSQL(hasSchema: false) { url in
            let first = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            try await first.write { connection in
                try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL)")
            }
            try await body(first, second)
        }
    }

    private func patience(_ onWait: @escaping @Sendable (LockWait) -> Void = { _ in }) -> LockPatience {
        var patience = LockPatience()
        patience.lockTimeout = .milliseconds(20)
        patience.firstPause = .milliseconds(1)
        patience.longestPause = .milliseconds(5)
        patience.onWait = onWait
        return patience
    }

    /// Holds a lock while a closure runs, and releases it before waiting for the closure's result.
    private func holding(
        _ lock: String,
        on database: PostgreSQLDatabase,
        _ body: () async throws -> () async throws -> Void
    ) async throws {
        let held = DispatchSemaphore(value: 0)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        async let holder: Void = database.maintenance { session in
            try await session.transaction { connection in
                // Longer than a suspended node may hold a lock.
                try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0; \(lock)")
                started.yield()
                held.wait()
            }
        }
        for await _ in starts { break }
        let rest: () async throws -> Void
        do {
            rest = try await body()
        } catch {
            held.signal()
            throw error
        }
        held.signal()
        try await holder
        try await rest()
    }

    private func count(_ database: PostgreSQLDatabase) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM t") { $0.int(0) }
        }
    }

    /// Returns when no session with a name is left on this database.
    private func whenGone(_ name: String, _ database: PostgreSQLDatabase) async throws {
        var isThere: Bool
        repeat {
            isThere =
                try await database.read { connection in
                    try connection.first(
                        """
                        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
                        """,
                        name
                    ) { _ in true }
                } ?? false
        } while isThere
    }
}
