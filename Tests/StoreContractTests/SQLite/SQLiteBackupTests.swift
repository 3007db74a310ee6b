import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation
import NIOConcurrencyHelpers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SQLiteBackupTests {
    /// Two tables that every write changes together: a copy in which they differ is not of one instant.
    private func makeDatabase(_ path: String) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try await database.migrate(now: Timestamp(rawValue: 0))
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE a (n BIGINT, t TEXT); CREATE TABLE b (n BIGINT, t TEXT)")
        }
        return database
    }

    private func write(_ database: SQLiteDatabase, _ number: Int) async throws {
        try await database.write { connection in
            let text = String(repeating: "x", count: 2_000)
            try connection.run("INSERT INTO a VALUES ($1, $2)", number, text)
            try connection.run("INSERT INTO b VALUES ($1, $2)", number, text)
        }
    }

    private func counts(_ database: SQLiteDatabase) async throws -> (Int, Int) {
        try await database.read { connection in
            (
                try connection.first("SELECT count(*) FROM a") { $0.int(0) } ?? 0,
                try connection.first("SELECT count(*) FROM b") { $0.int(0) } ?? 0
            )
        }
    }

    @Test("A copy made while the server writes is of one instant, and can be restored")
    func copiesOneInstant() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "carillon.sqlite").path
            let file = folder.appending(path: "backup").path
            let database = try await makeDatabase(path)
            defer { database.close() }
            for number in 0..<3_000 { try await write(database, number) }
            let isDone = NIOLockedValueBox(false)

            let written = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var number = 3_000
                    repeat {
                        try await write(database, number)
                        number += 1
                    } while !isDone.withLockedValue { $0 }
                    return number
                }
                try await SQLiteBackup.copy(path, to: file, at: Timestamp(rawValue: 1_700_000_000_000))
                isDone.withLockedValue { $0 = true }
                return try await group.next() ?? 0
            }

            let restored = folder.appending(path: "new/carillon.sqlite").path
            try FileManager.default.createDirectory(
                at: folder.appending(path: "new"),
                withIntermediateDirectories: true
            )
            try await SQLiteBackup.restore(file, to: restored)
            let copy = try SQLiteDatabase(path: restored)
            defer { copy.close() }
            let (first, second) = try await counts(copy)
            #expect(first == second && first >= 3_000 && first <= written)
            #expect(try await counts(database) == (written, written))
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
        }
    }

    @Test("Nothing is overwritten, and a damaged or foreign file is not restored")
    func refusesInvalidFiles() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "carillon.sqlite").path
            let file = folder.appending(path: "backup").path
            let database = try await makeDatabase(path)
            for number in 0..<200 { try await write(database, number) }
            try await SQLiteBackup.copy(path, to: file, at: Timestamp(rawValue: 1_700_000_000_000))
            await #expect(throws: StoreError.unavailable("\(file) exists already.")) {
                try await SQLiteBackup.copy(path, to: file, at: Timestamp(rawValue: 1_700_000_000_000))
            }
            await #expect(throws: StoreError.unavailable("\(path) exists already: restore into an empty folder.")) {
                try await SQLiteBackup.restore(file, to: path)
            }
            database.close()

            let damaged = folder.appending(path: "damaged").path
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            bytes.replaceSubrange(40_960..<45_056, with: Data(repeating: 0xA5, count: 4_096))
            try bytes.write(to: URL(fileURLWithPath: damaged))
            let foreign = folder.appending(path: "foreign").path
            try Data("no database".utf8).write(to: URL(fileURLWithPath: foreign))
            let target = folder.appending(path: "target.sqlite").path
            for wrong in [damaged, foreign] {
                await #expect(throws: StoreError.self) { try await SQLiteBackup.restore(wrong, to: target) }
                #expect(!FileManager.default.fileExists(atPath: target))
            }
            await #expect(throws: StoreError.self) {
                try await SQLiteBackup.copy(target, to: file + "2", at: Timestamp(rawValue: 1_700_000_000_000))
            }
        }
    }

    @Test("O2-17 A file that no server has open is not backed up, unless that is requested")
    func refusesLeftFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "carillon.sqlite").path
            let database = try await makeDatabase(path)
            try SQLiteBackup.checkIsServed(path, mayBeStopped: false)
            database.close()

            let refusal = #expect(throws: StoreError.self) {
                try SQLiteBackup.checkIsServed(path, mayBeStopped: false)
            }
            #expect("\(String(describing: refusal))".contains("No server runs on \(path)"))
            try SQLiteBackup.checkIsServed(path, mayBeStopped: true)
        }
    }

    @Test("O2-17 A file that was moved to PostgreSQL is not backed up")
    func refusesMovedFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "carillon.sqlite").path
            let database = try await makeDatabase(path)
            defer { database.close() }
            _ = try await database.write { connection in
                try connection.run(
                    "INSERT INTO schema_migrations (name, applied_at) VALUES ($1, 0)",
                    PostgreSQLMigration.mark
                )
            }

            for mayBeStopped in [false, true] {
                let refusal = #expect(throws: StoreError.self) {
                    try SQLiteBackup.checkIsServed(path, mayBeStopped: mayBeStopped)
                }
                #expect("\(String(describing: refusal))".contains("was moved to PostgreSQL"))
            }
        }
    }
}
