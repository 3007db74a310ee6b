import CarillonEngine
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// A write that another session's lock blocks, and all other writes.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct BlockedWriteTests {
    @Test(
        "A write that waits for a lock occupies no connection, and is committed when the lock is released",
        arguments: [1, 2],
        WritePriority.allCases
    )
    func letsOthersPass(_ connections: Int, _ priority: WritePriority) async throws {
        try await withRows { url, holder in
            var options = TestPostgreSQL.options
            (options.servingWriterCount, options.bulkWriterCount) = (connections, connections)
            options.lockTime = .milliseconds(20)
            let database = try PostgreSQLDatabase(url, options: options)
            defer { database.close() }
            let (runs, ran) = AsyncStream.makeStream(of: Void.self)
            let isAnswered = NIOLockedValueBox(false)

            try await holdingRow(1, holder) { release in
                let blocked = (1...4).map { _ in
                    Task {
                        defer { isAnswered.withLockedValue { $0 = true } }
                        try await database.write(priority: priority) { connection in
                            ran.yield()
                            try connection.run("UPDATE n SET value = value + 1 WHERE id = 1")
                        }
                    }
                }
                // Each of them has met the lock, some more than once.
                var count = 0
                for await _ in runs {
                    count += 1
                    if count == 12 { break }
                }
                for _ in 0..<20 {
                    try await database.write(priority: priority) { connection in
                        _ = try connection.run("UPDATE n SET value = value + 1 WHERE id = 2")
                    }
                }
                #expect(!isAnswered.withLockedValue { $0 })

                release()
                for task in blocked { try await task.value }
            }
            #expect(try await values(holder) == [4, 20])
        }
    }

    @Test("A write fails when its time is over while the lock is held", arguments: WritePriority.allCases)
    func failsInTime(_ priority: WritePriority) async throws {
        try await withRows { url, holder in
            var options = TestPostgreSQL.options
            options.lockTime = .milliseconds(20)
            (options.servingTime, options.bulkTime) = (.milliseconds(300), .milliseconds(300))
            let database = try PostgreSQLDatabase(url, options: options)
            defer { database.close() }

            try await holdingRow(1, holder) { release in
                let error = await #expect(throws: StoreError.self) {
                    try await database.write(priority: priority) { connection in
                        _ = try connection.run("UPDATE n SET value = value + 1 WHERE id = 1")
                    }
                }
                guard case .unavailable? = error else {
                    Issue.record("It must be unavailable.")
                    return
                }
                release()
            }
            #expect(try await values(holder) == [0, 0])
        }
    }

    @Test("A queued write fails when its time is over without a free connection")
    func failsInQueue() async throws {
        try await withRows { url, _ in
            var options = TestPostgreSQL.options
            options.servingWriterCount = 1
            options.servingTime = .seconds(3)
            let database = try PostgreSQLDatabase(url, options: options)
            defer { database.close() }
            let gate = DispatchSemaphore(value: 0)
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                // A machine that is too busy to begin in time fails instead of waiting for ever.
                defer { started.finish() }
                try await database.write { _ in
                    started.yield()
                    gate.wait()
                }
            }
            for await _ in starts { break }

            await #expect(throws: StoreError.unavailable("Other writes were in the way for too long.")) {
                try await database.write { _ in }
            }

            gate.signal()
            try await first.value
        }
    }
}

extension BlockedWriteTests {
    private func withRows(_ body: (String, PostgreSQLDatabase) async throws -> Void) async throws {
        try await withPostgreSQL(hasSchema: false) { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            try await database.write { connection in
                try connection.execute(
                    script: "CREATE TABLE n (id BIGINT PRIMARY KEY, value BIGINT); INSERT INTO n VALUES (1, 0), (2, 0)"
                )
            }
            try await body(url, database)
        }
    }

    /// Holds a row's lock until the body releases it or ends.
    private func holdingRow(
        _ row: Int,
        _ database: PostgreSQLDatabase,
        _ body: (_ release: () -> Void) async throws -> Void
    ) async throws {
        let gate = DispatchSemaphore(value: 0)
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await database.maintenance { session in
                try await session.transaction { connection in
                    // Longer than a suspended node may hold a lock.
                    try connection.execute(script: "SET LOCAL idle_in_transaction_session_timeout = 0")
                    try connection.run("SELECT 1 FROM n WHERE id = $1 FOR UPDATE", row)
                    started.yield()
                    gate.wait()
                }
            }
        }
        for await _ in starts { break }
        do {
            try await body { gate.signal() }
        } catch {
            gate.signal()
            throw error
        }
        gate.signal()
        try await holder.value
    }

    private func values(_ database: PostgreSQLDatabase) async throws -> [Int] {
        try await database.read { connection in
            try connection.all("SELECT value FROM n ORDER BY id LIMIT 10") { $0.int(0) }
        }
    }
}
