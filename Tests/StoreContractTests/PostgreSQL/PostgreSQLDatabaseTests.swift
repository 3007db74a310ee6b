import CarillonEngine
import CarillonModel
import Foundation
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct PostgreSQLDatabaseTests {
    @Test("Broken connections are replaced") func reconnects() async throws {
        try await withTwo { first, second in
            try await makeTable(first)
            try await insert(first, 1)
            #expect(try await count(first) == 1)

            try await second.runAlone(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            )

            #expect(try await count(first) == 1)
            try await insert(first, 2)
            #expect(try await count(second) == 2)
        }
    }

    @Test("The error of an unreachable server does not contain the password") func hidesPasswords() async throws {
        let error = #expect(throws: StoreError.self) {
            try PostgreSQLDatabase("postgres://someone:hunter2@127.0.0.1:1/nothing")
        }

        guard case .unavailable(let text)? = error else {
            Issue.record("It must be unavailable.")
            return
        }
        #expect(text.contains("127.0.0.1"))
        #expect(!text.contains("hunter2"))
    }

    @Test("A closed database refuses new writes and commits waiting ones") func closes() async throws {
        try await withTwo { first, second in
            try await makeTable(first)
            async let last: Void = insert(first, 1)
            try await last
            first.close()

            await #expect(throws: StoreError.unavailable("The database is closed.")) { try await insert(first, 2) }
            await #expect(throws: StoreError.unavailable("The database is closed.")) { try await count(first) }
            #expect(try await count(second) == 1)
        }
    }

    @Test("A read that takes too long is interrupted, and the connection stays usable") func limitsReads() async throws
    {
        try await withPostgreSQL { url in
            var options = TestPostgreSQL.options
            options.readTime = .milliseconds(50)
            let database = try PostgreSQLDatabase(url, options: options)
            defer { database.close() }

            await #expect(throws: StoreError.unavailable("A read took too long.")) {
                try await database.read { connection in
                    try connection.first("SELECT 1 FROM pg_sleep(10)") { $0.int(0) }
                }
            }

            let one = try await database.read { connection in
                try connection.first("SELECT 1") { $0.int(0) }
            }
            #expect(one == 1)
        }
    }

    @Test("A read cannot write") func readsOnly() async throws {
        try await withTwo { database, _ in
            try await makeTable(database)

            await #expect(throws: StoreError.self) {
                try await database.read { connection in
                    _ = try connection.run("INSERT INTO t (id) VALUES (1)")
                }
            }
            #expect(try await count(database) == 0)
        }
    }

    @Test("Values of every type are read correctly") func readsAllTypes() async throws {
        try await withTwo { database, _ in
            let numbers = try await database.read { connection in
                try connection.first(
                    """
                    SELECT SUM(n), AVG(n), COUNT(*), BOOL_AND(n > 0), CAST(MIN(n) AS SMALLINT), CAST(-12345678.25 AS NUMERIC),
                        CAST(0.5 AS REAL), CAST($1 AS DOUBLE PRECISION), CAST(90000 AS NUMERIC)
                    FROM (VALUES (CAST(40000000000000 AS BIGINT)), (2)) AS t (n)
                    """,
                    2.5
                ) { row in
                    [
                        row.double(0), row.double(1), row.double(2), row.double(3), row.double(4), row.double(5),
                        row.double(6), row.double(7), Double(row.int64(0)), Double(row.int64(3)), Double(row.int64(5)),
                        Double(row.int64(8)),
                    ]
                }
            }

            #expect(
                numbers == [
                    40_000_000_000_002, 20_000_000_000_001, 2, 1, 2, -12_345_678.25, 0.5, 2.5, 40_000_000_000_002, 1,
                    -12_345_678, 90_000,
                ]
            )
        }
    }

    @Test("A statement sent without waiting fails its own write") func failsTheRightWrite() async throws {
        try await withTwo { database, _ in
            try await makeTable(database)
            try await insert(database, 7)

            let kept = try await withThrowingTaskGroup(of: Int?.self) { group in
                for id in 1...40 {
                    group.addTask {
                        do throws(StoreError) {
                            try await database.write { connection in
                                try connection.send("INSERT INTO t (id) VALUES ($1)", id)
                                if id.isMultiple(of: 4) { try connection.send("INSERT INTO t (id) VALUES (1 / 0)") }
                            }
                            return id
                        } catch {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [Int]()) { ids, id in if let id { ids.append(id) } }
            }

            // 7 exists already: that write blocks nobody and yet never succeeds.
            #expect(kept.sorted() == (1...40).filter { !$0.isMultiple(of: 4) && $0 != 7 })
            #expect(try await count(database) == 30)
        }
    }

    @Test("More composed statements than the cache holds all return rows") func evictsStatements() async throws {
        try await withTwo { database, _ in
            let sums = try await database.read { connection in
                var sums: [Int] = []
                for number in 0..<200 {
                    let statement = try connection.prepare(ComposedSQL(ofOurs: "SELECT \(number % 120) + 1"))
                    if try statement.next() { sums.append(statement.int(0)) }
                    statement.reset()
                }
                return sums
            }
            let again = try await database.read { connection in
                try connection.first("SELECT count(*) FROM pg_prepared_statements") { $0.int(0) }
            }

            #expect(sums == (0..<200).map { $0 % 120 + 1 })
            // One of two readers: either it never prepared them, or it has evicted all but those in its cache.
            #expect(again.map { $0 < 60 } == true)
        }
    }

    @Test("Nodes receive each other's notifications") func notifiesNodes() async throws {
        try await withTwo { first, second in
            let (heard, hear) = AsyncStream.makeStream(of: String.self)
            let (joins, join) = AsyncStream.makeStream(of: Void.self)
            let ears = try PostgreSQLNotifications(of: first, receive: { hear.yield($0) }, joined: { join.yield() })
            let mouth = try PostgreSQLNotifications(of: second, receive: { _ in }, joined: { join.yield() })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await ears.run() }
                group.addTask { try await mouth.run() }
                var count = 0
                for await _ in joins {
                    count += 1
                    if count == 2 { break }
                }

                mouth.notify("stop cmp_1")

                for await notification in heard {
                    #expect(notification == "stop cmp_1")
                    break
                }
                ears.stop()
                mouth.stop()
                try await group.waitForAll()
            }
        }
    }
}

extension PostgreSQLDatabaseTests {
    /// Provides two stores on one database, as two nodes have them.
    private func withTwo(_ body: (PostgreSQLDatabase, PostgreSQLDatabase) async throws -> Void) async throws {
        try await withPostgreSQL { url in
            let first = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            try await body(first, second)
        }
    }

    private func makeTable(_ database: PostgreSQLDatabase) async throws {
        try await database.write { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")
        }
    }

    private func insert(_ database: PostgreSQLDatabase, _ id: Int) async throws {
        try await database.write { connection in
            _ = try connection.run("INSERT INTO t (id) VALUES ($1)", id)
        }
    }

    private func count(_ database: PostgreSQLDatabase) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM t") { $0.int(0) }
        }
    }
}
