import CarillonEngine
import Foundation
import NIOConcurrencyHelpers
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// The behaviour of a node when a connection breaks at the worst moment.
@Suite(.enabled(if: TestPostgreSQL.url != nil, "CARILLON_TEST_POSTGRES names no server"))
struct BrokenConnectionTests {
    @Test(
        "A write whose commit got no answer is committed once",
        arguments: CuttingRelay.Loss.allCases,
        WritePriority.allCases
    )
    func keepsOnce(_ loss: CuttingRelay.Loss, _ priority: WritePriority) async throws {
        try await withRelayed { relay, url in
            var options = TestPostgreSQL.options
            (options.servingWriterCount, options.bulkWriterCount) = (1, 1)
            let database = try PostgreSQLDatabase(url(relay), options: options)
            defer { database.close() }
            try await makeTable(database)
            // From here on the connection has prepared its commit, and sends nothing else.
            try await database.write(priority: priority) { connection in
                _ = try connection.run("DELETE FROM t")
            }

            let runs = NIOLockedValueBox(0)
            try await database.write(priority: priority) { connection in
                try connection.run("INSERT INTO t (id) VALUES (1)")
                let client = try connection.first("SELECT inet_client_port()") { $0.int(0) }
                // Everything is answered; the commit is next.
                let isFirst = runs.withLockedValue { runs in
                    runs += 1
                    return runs == 1
                }
                if isFirst { relay.lose(loss, of: client ?? 0) }
            }

            #expect(runs.withLockedValue { $0 } == (loss == .answer ? 1 : 2))
            #expect(try await count(database) == 1)
        }
    }

    @Test("A read that loses its connection is repeated", arguments: CuttingRelay.Loss.allCases)
    func readsAgain(_ loss: CuttingRelay.Loss) async throws {
        try await withRelayed { relay, url in
            var options = TestPostgreSQL.options
            options.readerCount = 1
            let database = try PostgreSQLDatabase(url(relay), options: options)
            defer { database.close() }
            try await makeTable(database)
            func client() async throws -> Int? {
                try await database.read { connection in
                    try connection.first("SELECT inet_client_port()") { $0.int(0) }
                }
            }
            let first = try #require(try await client())

            relay.lose(loss, of: first)

            #expect(try await count(database) == 0)
            #expect(try await client() != first)
        }
    }

    @Test("Of several hosts the available one is used, and the other when that fails")
    func usesAvailableHosts() async throws {
        try await withRelayed { first, url in
            let second = try await CuttingRelay(to: first.target)
            let database = try PostgreSQLDatabase(url(first, second), options: TestPostgreSQL.options)
            defer { database.close() }
            try await makeTable(database)
            #expect(try await count(database) == 0)

            try await first.close()

            try await database.write { connection in
                _ = try connection.run("INSERT INTO t (id) VALUES (1)")
            }
            #expect(try await count(database) == 1)
            try await second.close()
        }
    }

    // MARK: - Silence

    @Test("A silent server times out, whatever the request", arguments: Question.allCases)
    func givesUp(_ question: Question) async throws {
        try await withRelayed { relay, url in
            var settings = PostgreSQLSession.Settings(target: try url(relay))
            // By a session that has time: on a busy machine making a table takes longer than the limit.
            try PostgreSQLSession(settings).execute(script: "CREATE TABLE t (id BIGINT NOT NULL)")
            settings.answerTime = .milliseconds(200)
            let session = try PostgreSQLSession(settings)

            relay.fallSilent()

            let failure = #expect(throws: PostgreSQLFailure.self) { try question.ask(session) }
            #expect(failure == .late)
            #expect(session.isLost)
        }
    }

    @Test("A session whose setup times out is not opened") func limitsSetup() async throws {
        try await withPostgreSQL(hasSchema: false) { url in
            var settings = PostgreSQLSession.Settings(target: url)
            settings.preparationTime = .milliseconds(200)
            settings.preparation = ["SELECT pg_sleep(600)"]

            let error = #expect(throws: StoreError.self) { try PostgreSQLSession(settings) }

            guard case .unavailable? = error else {
                Issue.record("It must be unavailable.")
                return
            }
        }
    }

    // MARK: - Turns

    @Test("A turn ends with its connection, and the node gets others afterwards")
    func endsTurnsWithTheConnection() async throws {
        try await withPostgreSQL { url in
            let first = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { first.close() }
            let second = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { second.close() }
            let held = try #require(await first.turn(at: .keys))

            async let next = second.turn(at: .keys)
            try await whenSomebodyWaits(second)
            try await second.runAlone(
                """
                SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
                """
            )

            let turn = try #require(await next)
            turn.end()
            held.end()
            let again = await first.turn(at: .keys)
            #expect(again != nil)
            again?.end()
        }
    }

    @Test("Turns end when the database is closed") func endsTurnsAtClose() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            let held = await database.turn(at: .keys)
            #expect(held != nil)
            held?.end()

            database.close()

            #expect(await database.turn(at: .keys) == nil)
        }
    }
}

extension BrokenConnectionTests {
    /// The requests of a session that have no time limit of libpq.
    enum Question: CaseIterable {
        case script
        case notice
        case copy

        func ask(_ session: PostgreSQLSession) throws(PostgreSQLFailure) {
            switch self {
            case .script: try session.execute(script: "SELECT 1; SELECT 2")
            case .notice: if !session.notify("x", on: "carillon") { throw .late }
            case .copy:
                var rows = CopiedRows(fieldCount: 1, capacity: 0)
                // More than the system's buffers hold.
                for number in 0..<2_000_000 {
                    rows.beginRow()
                    rows.add(Int64(number))
                }
                try session.copy("COPY t (id) FROM STDIN (FORMAT binary)", rows.finished())
            }
        }
    }

    /// Provides a relay to the server, and makes the URL of a separate database through relays.
    private func withRelayed(
        _ body: (CuttingRelay, (CuttingRelay...) throws -> String) async throws -> Void
    ) async throws {
        try await withPostgreSQL { url in
            let components = try #require(URLComponents(string: url))
            let relay = try await CuttingRelay(to: components.port ?? 5_432)
            try await body(relay) { relays in
                let hosts = relays.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
                let user = try #require(components.percentEncodedUser)
                let password = components.percentEncodedPassword.map { ":" + $0 } ?? ""
                return "postgres://\(user)\(password)@\(hosts)\(components.path)?connect_timeout=60"
            }
            try? await relay.close()
        }
    }

    private func makeTable(_ database: PostgreSQLDatabase) async throws {
        try await database.write(priority: .serving) { connection in
            try connection.execute(script: "CREATE TABLE t (id BIGINT NOT NULL)")
        }
    }

    private func count(_ database: PostgreSQLDatabase) async throws -> Int? {
        try await database.read { connection in
            try connection.first("SELECT count(*) FROM t") { $0.int(0) }
        }
    }

    /// Returns when a session of this database waits for a lock.
    private func whenSomebodyWaits(_ database: PostgreSQLDatabase) async throws {
        var count: Int?
        repeat {
            count = try await database.read { connection in
                try connection.first(
                    """
                    SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                    WHERE l.locktype = 'advisory' AND NOT l.granted AND a.datname = current_database()
                    """
                ) { $0.int(0) }
            }
        } while count == 0
    }
}
