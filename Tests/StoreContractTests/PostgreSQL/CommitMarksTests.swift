import CarillonEngine
import CarillonModel
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// How the outcome of a transaction is determined.
@Suite struct CommitMarksTests {
    @Test("A mark is set once per transaction, and again when a savepoint undid it") func setsMarksOnce() {
        var marks = CommitMarks()
        let first = marks.mark
        marks.begin()
        #expect(marks.mark != first && !marks.isSet && !marks.isUsed)

        marks.setSavepoint()
        marks.set()
        #expect(marks.isSet && marks.isUsed)
        marks.undoToSavepoint()
        #expect(!marks.isSet)
        marks.set()
        marks.setSavepoint()
        marks.undoToSavepoint()
        #expect(marks.isSet)

        marks.begin()
        #expect(!marks.isSet && !marks.hasWritten)
    }

    @Test(
        "Marks older than an hour are deleted, except the connection's own, whose transaction may have taken as long",
        .enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server")
    )
    func sweepsOthers() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            let marks = CommitMarks()
            let left = try await database.write { connection in
                for slot in [marks.slot, 5] {
                    try connection.run("INSERT INTO commit_marks (slot, mark, at) VALUES ($1, 3, 0)", slot)
                }
                try connection.execute(script: marks.sweep)
                return try connection.all("SELECT slot FROM commit_marks WHERE at = 0 LIMIT 9") { $0.int64(0) }
            }
            #expect(left == [marks.slot])
        }
    }

    @Test(
        "A transaction writes one mark, none when it only reads, and its row is deleted with the connection",
        .enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server")
    )
    func marksOnce() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            func rows() async throws -> [Int64] {
                try await database.read { connection in
                    try connection.all("SELECT mark FROM commit_marks ORDER BY slot LIMIT 100") { $0.int64(0) }
                }
            }
            try await database.write { connection in
                try connection.lock(.keys)
                _ = try connection.first("SELECT 1 FROM apps LIMIT 1") { _ in true }
            }
            let before = try await rows()

            try await database.maintenance { session in
                for _ in 0..<3 {
                    try await session.transaction { connection in
                        for _ in 0..<5 { try connection.run("DELETE FROM apps WHERE id = 1") }
                        let marks = try connection.all("SELECT mark FROM commit_marks ORDER BY slot LIMIT 9") {
                            $0.int64(0)
                        }
                        guard marks.count == before.count + 1 else { throw StoreError.failed("\(marks)") }
                    }
                }
            }
            // The session's row may be deleted a moment after the call.
            while try await rows().count != before.count {}
        }
    }

    @Test(
        "A write that a killed server lost is not mistaken for another one with its number",
        .enabled(if: KilledPostgreSQL.isInstalled, "Debian's postgresql-15 is missing")
    )
    func knowsItsOwn() async throws {
        nonisolated(unsafe) let server = try KilledPostgreSQL()
        let database = try PostgreSQLDatabase(server.url, options: TestPostgreSQL.options)
        defer { database.close() }
        try await database.migrate(now: Timestamp(rawValue: 0))
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL); INSERT INTO t VALUES (0)")
        }
        let (runs, numbers) = (NIOLockedValueBox(0), NIOLockedValueBox<[Int64]>([]))
        let settings = database.settings

        try await database.write(priority: .bulk) { connection in
            try connection.run("INSERT INTO t (id) VALUES (1)")
            let run = runs.withLockedValue { runs in
                runs += 1
                return runs
            }
            guard run == 1 else { return }
            let lost = try connection.number()
            let session = try connection.first("SELECT pg_backend_pid()") { $0.int64(0) } ?? 0
            server.kill(session: Int32(session))
            do { try server.start() } catch { throw StoreError.failed("\(error)") }
            // Another transaction gets the number of the lost write.
            let other = PostgreSQLConnection(settings)
            defer { other.close() }
            var number: Int64 = 0
            while number < lost {
                try other.begin()
                number = try other.number()
                try other.run("INSERT INTO t (id) VALUES (2)")
                try other.commit()
            }
            numbers.withLockedValue { $0 = [lost, number] }
        }

        let (lost, taken) = try #require(numbers.withLockedValue { $0.count == 2 ? ($0[0], $0[1]) : nil })
        #expect(lost == taken, "The number was not given again: the test shows nothing.")
        #expect(runs.withLockedValue { $0 } == 2)
        let kept = try await database.read { connection in
            try connection.first("SELECT count(*) FROM t WHERE id = 1") { $0.int(0) }
        }
        #expect(kept == 1)
    }
}

extension SQLConnection {
    /// The transaction's number.
    fileprivate func number() throws(StoreError) -> Int64 {
        try first("SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)") { $0.int64(0) } ?? 0
    }
}
