import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import TestSupport
import Testing

@Suite struct SQLiteDatabaseTests {
    @Test("A second opener gets the name of the file in use, until the first closes it") func locksFiles() async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "store.sqlite").path
            let first = try SQLiteDatabase(path: path)
            let expected = StoreError.unavailable("The database \(path) is in use by another process (\(getpid())).")

            #expect(throws: expected) { try SQLiteDatabase(path: path) }

            first.close()
            let second = try SQLiteDatabase(path: path)
            // Closing twice must not touch the file, which another process has now.
            first.close()
            #expect(throws: expected) { try SQLiteDatabase(path: path) }
            second.close()
        }
    }

    @Test("A path that cannot be opened is in the error") func namesPaths() {
        let path = "/nonexistent/folder/store.sqlite"

        let error = #expect(throws: StoreError.self) { try SQLiteDatabase(path: path) }

        #expect(error.map { "\($0)".contains(path) } == true)
    }

    @Test("Only the owner can read the files") func restrictsAccess() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path)
            defer { database.close() }
            try await fill(database, rows: 1)

            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)

            #expect(Set(files) == ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.sqlite-lock"])
            for file in files {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder.appending(path: file).path
                )
                #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(file)")
            }
        }
    }

    @Test("Answered writes are in the files without a clean shutdown") func survivesCrashes() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path)
            defer { database.close() }
            try await fill(database, rows: 100)

            let copy = folder.appending(path: "copy.sqlite").path
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder.appending(path: "store.sqlite\(suffix)").path,
                    toPath: copy + suffix
                )
            }

            let recovered = try SQLiteDatabase(path: copy)
            defer { recovered.close() }
            #expect(try await count(recovered) == 100)
        }
    }

    @Test("Commits reach the disk before they are answered") func syncsCommits() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path)
            defer { database.close() }

            let settings = try await database.write { connection in
                [
                    try connection.first("PRAGMA journal_mode") { row in row.string(0) },
                    try connection.first("PRAGMA synchronous") { row in row.string(0) },
                    try connection.first("PRAGMA wal_autocheckpoint") { row in row.string(0) },
                ]
            }

            // 2 is FULL; only the checkpointer moves the log.
            #expect(settings == ["wal", "2", "0"])
        }
    }

    @Test("A read that takes too long is interrupted, and the connection stays usable") func limitsReads() async throws
    {
        var options = SQLiteDatabase.Options()
        options.readTime = .milliseconds(20)
        let database = try SQLiteDatabase(inMemory: options)
        defer { database.close() }

        await #expect(throws: StoreError.unavailable("A read took too long.")) {
            try await database.read { connection in
                try connection.first(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
                    """
                ) { row in row.int64(0) }
            }
        }

        let answer = try await database.read { connection in
            try connection.first("SELECT 1") { row in row.int(0) }
        }
        #expect(answer == 1)
    }

    @Test("A read cannot write") func readsOnly() async throws {
        try await withTemporaryFolder { folder in
            let database = try SQLiteDatabase(path: folder.appending(path: "store.sqlite").path)
            defer { database.close() }
            try await fill(database, rows: 1)

            await #expect(throws: StoreError.self) {
                try await database.read { connection in try connection.run("DELETE FROM t") }
            }
            #expect(try await count(database) == 1)
        }
    }

    @Test("The log is checkpointed and reused while writes continue") func checkpoints() async throws {
        try await withTemporaryFolder { folder in
            var options = SQLiteDatabase.Options()
            options.passiveCheckpointPages = 50
            options.truncatingCheckpointPages = 200
            let path = folder.appending(path: "store.sqlite").path
            let database = try SQLiteDatabase(path: path, options: options)
            defer { database.close() }
            try await fill(database, rows: 1)

            var largest = 0
            for id in 2...600 {
                try await insert(database, id)
                largest = max(largest, try fileSize(path + "-wal"))
            }

            // 600 commits of two to four pages are about 8 MB of log; most of it was moved and overwritten.
            #expect(try fileSize(path) > 500_000)
            #expect(largest < 4_000_000)
        }
    }
}

extension SQLiteDatabaseTests {
    private func fill(_ database: SQLiteDatabase, rows: Int) async throws {
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, data BLOB)")
        }
        for id in 1...rows { try await insert(database, id) }
    }

    private func insert(_ database: SQLiteDatabase, _ id: Int) async throws {
        try await database.write { connection in
            _ = try connection.run("INSERT INTO t (id, data) VALUES ($1, $2)", id, [UInt8](repeating: 1, count: 2_000))
        }
    }

    private func count(_ database: SQLiteDatabase) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM t") { row in row.int(0) }
        }
    }

    private func fileSize(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
