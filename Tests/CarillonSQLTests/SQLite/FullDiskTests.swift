import CarillonSQL
import Foundation
import StoreErrors
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct FullDiskTests {
    @Test("A full file keeps its data, and works again when there is room") func survivesFullFiles() async throws {
        try await withTemporaryFolder { folder in
            var options = SQLiteDatabase.Options()
            options.maximumPageCount = 60
            let path = folder.appending(path: "store.sqlite").path
            let database = try SQLiteDatabase(path: path, options: options, functions: { _ in })
            try await makeTable(database)

            let kept = await fill(database)

            #expect(kept.answered > 10)
            #expect(kept.error == .full)
            #expect(try await ids(database) == Array(1...kept.answered))
            // Room again: rows are deleted, their pages are reused.
            try await database.write { connection in
                _ = try connection.run("DELETE FROM t WHERE id <= $1", kept.answered / 2)
            }
            try await insert(database, 1_000_000)
            #expect(try await ids(database).last == 1_000_000)
            database.close()
        }
    }

    /// A group's writes share the transaction: when the disk is full, all of them fail and none is committed.
    @Test("A group on a full disk is committed as a whole or not at all") func isAtomicOnFullDisks() async throws {
        try await withTemporaryFolder { folder in
            var options = SQLiteDatabase.Options()
            options.maximumPageCount = 60
            let database = try SQLiteDatabase(
                path: folder.appending(path: "store.sqlite").path,
                options: options,
                functions: { _ in }
            )
            defer { database.close() }
            try await makeTable(database)

            let answered = try await withThrowingTaskGroup(of: Int?.self) { group in
                for id in 1...300 {
                    group.addTask {
                        do throws(StoreError) {
                            try await insert(database, id)
                            return id
                        } catch {
                            #expect(error == .full)
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [Int]()) { ids, id in if let id { ids.append(id) } }
            }

            #expect(answered.count < 300)
            #expect(try await ids(database) == answered.sorted())
        }
    }

    #if os(Linux)
    @Test("A full file system is survived", .enabled(if: geteuid() == 0, "mounting a small file system needs root"))
    func survivesFullFileSystems() async throws {
        try await withTemporaryFolder { folder in
            let isMounted = mount("tmpfs", folder.path, "tmpfs", 0, "size=3m") == 0
            try #require(isMounted, "Cannot mount a file system of 3 MB.")
            defer { umount2(folder.path, Int32(MNT_DETACH)) }
            let database = try SQLiteDatabase(
                path: folder.appending(path: "store.sqlite").path,
                options: .init(),
                functions: { _ in }
            )
            let ballast = folder.appending(path: "ballast").path
            try Data(count: 1_000_000).write(to: URL(filePath: ballast))
            try await makeTable(database)

            let kept = await fill(database)

            #expect(kept.error == .full)
            #expect(try await ids(database) == Array(1...kept.answered))
            try FileManager.default.removeItem(atPath: ballast)
            try await insert(database, 1_000_000)
            #expect(try await ids(database) == Array(1...kept.answered) + [1_000_000])
            database.close()
        }
    }
    #endif
}

extension FullDiskTests {
    private func makeTable(_ database: SQLiteDatabase) async throws {
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, data BLOB)")
        }
    }

    private func insert(_ database: SQLiteDatabase, _ id: Int) async throws(StoreError) {
        try await database.write { connection in
            _ = try connection.run("INSERT INTO t (id, data) VALUES ($1, $2)", id, [UInt8](repeating: 1, count: 3_000))
        }
    }

    /// Inserts 1, 2, 3 … until it fails.
    private func fill(_ database: SQLiteDatabase) async -> (answered: Int, error: StoreError?) {
        for id in 1...10_000 {
            do throws(StoreError) {
                try await insert(database, id)
            } catch {
                return (id - 1, error)
            }
        }
        return (10_000, nil)
    }

    private func ids(_ database: SQLiteDatabase) async throws -> [Int] {
        try await database.read { connection in
            try connection.all("SELECT id FROM t ORDER BY id") { row in row.int(0) }
        }
    }
}
