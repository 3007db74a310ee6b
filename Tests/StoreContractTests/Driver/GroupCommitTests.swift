import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation
import TestStores
import TestSupport
import Testing

@Suite struct GroupCommitTests {
    @Test("Waiting writes of both priorities are all committed", arguments: StoreKind.allCases)
    func commitsBothPriorities(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            try await makeTable(database)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...500 {
                    group.addTask {
                        try await database.write(priority: id.isMultiple(of: 2) ? .serving : .bulk) {
                            connection in
                            _ = try connection.run("INSERT INTO t (id) VALUES ($1)", id)
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await count(database) == 500)
        }
    }

    @Test("Too many waiting writes are refused, and the others are committed") func limitsWaitingWrites() async throws {
        var options = SQLiteDatabase.Options.forTests
        options.writeCapacity = 5
        let database = try SQLiteDatabase(inMemory: options)
        defer { database.close() }
        try await makeTable(database)
        let gate = DispatchSemaphore(value: 0)

        let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await database.write { _ in
                    start.finish()
                    gate.wait()
                }
                return false
            }
            for await _ in started {}
            let refused = AsyncStream.makeStream(of: Void.self)
            for id in 1...8 {
                group.addTask {
                    do throws(StoreError) {
                        try await database.write { connection in
                            _ = try connection.run("INSERT INTO t (id) VALUES ($1)", id)
                        }
                        return true
                    } catch {
                        #expect(error == .unavailable("Too many writes wait already."))
                        refused.continuation.yield()
                        return false
                    }
                }
            }
            var refusals = 0
            for await _ in refused.stream {
                refusals += 1
                if refusals == 3 { break }
            }
            gate.signal()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }

        #expect(kept == 5)
        #expect(try await count(database) == 5)
    }

    @Test("A closed database commits waiting writes and refuses new ones") func closes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "store.sqlite").path
            let database = try SQLiteDatabase(path: path)
            try await makeTable(database)
            try await database.write { connection in
                _ = try connection.run("INSERT INTO t (id) VALUES (1)")
            }

            database.close()

            await #expect(throws: StoreError.unavailable("The database is closed.")) {
                try await database.write { _ in }
            }
            await #expect(throws: StoreError.self) { try await count(database) }
            let reopened = try SQLiteDatabase(path: path)
            defer { reopened.close() }
            #expect(try await count(reopened) == 1)
        }
    }

    private func makeTable(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")
        }
    }

    private func count(_ database: any Database) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM t") { row in row.int(0) }
        }
    }
}
