import CarillonEngine
import CarillonModel
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// A Device is found by a whole key, with any statistics of its App.
@Suite(.enabled(if: TestPostgreSQL.url != nil))
struct StatementPlanTests {
    /// The statistics: few Apps with many Devices each, or many with one or two.
    enum Knowledge: CaseIterable {
        case fewApps
        case manyApps
    }

    @Test(
        "Statements find a new App's Devices by whole keys while statistics cover only other Apps",
        arguments: Knowledge.allCases
    )
    func newApp(_ knowledge: Knowledge) async throws {
        try await withPostgreSQL(hasSchema: false) { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            switch knowledge {
            case .fewApps: for app in 1...5 { try await addDevices(2_000, of: "\(app)", to: database) }
            case .manyApps: try await addDevices(1_250, of: "1000 + n % 1000", to: database)
            }
            try await database.write { connection in
                try connection.execute(script: "ANALYZE devices")
            }
            // The server does not analyze the table again.
            try await addDevices(900, of: "7", to: database)

            let statements = try SourceStatements.all().filter(\.isForPostgreSQL)
            #expect(statements.count > 400)
            let slow = try await database.write { connection in
                var slow: [String] = []
                for statement in statements {
                    let plan = try connection.plan(of: statement.text, app: 7)
                    if plan.walksDevicesOfApp || plan.joinsTablesWhole || plan.walksRowsOfApp {
                        slow.append("\(statement.file): \(statement.text)\n\(plan.joined(separator: "\n"))")
                    }
                }
                return slow
            }
            #expect(slow == [])
        }
    }

    @Test("Every table with several indexes by App is declared for an App with all its rows")
    func estimates() async throws {
        try await withPostgreSQL { url in
            let database = try PostgreSQLDatabase(url, options: TestPostgreSQL.options)
            defer { database.close() }
            let silent = try await database.read { connection in
                try connection.all(
                    """
                    SELECT CAST(c.relname AS TEXT) FROM pg_class c
                    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'app_id'
                    WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace)
                        AND NOT ('n_distinct=1' = ANY(COALESCE(a.attoptions, CAST('{}' AS TEXT[]))))
                        AND 1 < (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum)
                    ORDER BY 1 LIMIT 100
                    """
                ) { $0.string(0) }
            }
            #expect(silent == [])
        }
    }

    @Test("A plan for few Devices is not used for many")
    func plansAnew() async throws {
        var options = TestPostgreSQL.options
        options.planLifetime = .zero
        options.bulkWriterCount = 1
        try await withPostgreSQL(hasSchema: false) { url in
            let database = try PostgreSQLDatabase(url, options: options)
            defer { database.close() }
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            _ = try await rowsRead(toChange: 1, of: database)
            try await addDevices(2_000, of: "7", to: database)

            #expect(try await rowsRead(toChange: 2_000, of: database) < 10)
        }
    }

    // MARK: - Private

    /// The number of rows of `devices` that the server reads to change one.
    private func rowsRead(toChange number: Int64, of database: PostgreSQLDatabase) async throws -> Int {
        try await database.write(priority: .bulk) { connection in
            try connection.run("UPDATE devices SET token = NULL WHERE app_id = $1 AND number = $2", Int64(7), number)
            let count = try connection.first(
                "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'devices' LIMIT 1"
            ) { $0.int(0) }
            return count ?? 0
        }
    }

    private func addDevices(_ count: Int, of app: String, to database: PostgreSQLDatabase) async throws {
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO devices (app_id, number, public_id, consent, push_type, language, token, token_state,
                        created_at, registered_at, user_id)
                    SELECT \(app), n, decode(md5(CAST(n AS text)), 'hex'), 1, 1, 'en', decode(md5(CAST(n AS text)), 'hex'),
                        1, 0, 0, 'u-' || n FROM generate_series(1, \(count)) AS n
                    """
            )
        }
    }
}

extension SQLConnection {
    /// The server's plan of a statement about one App, a line each.
    fileprivate func plan(of text: String, app: Int) throws(StoreError) -> [String] {
        try execute(script: "PREPARE planned AS \(text)")
        let types = try prepare(
            ComposedSQL(
                ofOurs: """
                    SELECT CAST(u.type AS TEXT) FROM pg_prepared_statements
                    CROSS JOIN unnest(parameter_types) WITH ORDINALITY AS u (type, place)
                    WHERE name = 'planned' ORDER BY u.place
                    """
            )
        )
        var values: [String] = []
        while try types.next() {
            // A text may be a list too.
            let isList = types.string(0) == "text" || types.string(0).hasSuffix("[]")
            values.append(isList ? "'{\(app)}'" : "'\(app)'")
        }
        types.reset()
        let list = values.isEmpty ? "" : "(" + values.joined(separator: ", ") + ")"
        let explanation = try prepare(ComposedSQL(ofOurs: "EXPLAIN EXECUTE planned\(list)"))
        var lines: [String] = []
        while try explanation.next() { lines.append(explanation.string(0)) }
        explanation.reset()
        try execute(script: "DEALLOCATE planned")
        return lines
    }
}

extension [String] {
    /// Whether Devices of an App are scanned to find one or some.
    fileprivate var walksDevicesOfApp: Bool {
        for (place, line) in enumerated() where line.contains(" on devices") {
            let details = self[(place + 1)...].prefix { !$0.contains("->") }
            let isOfApp = details.contains { $0.contains(#/Index Cond: \((\w+\.)?app_id = [^()]+\)$/#) }
            if isOfApp, details.contains(where: { $0.contains(#/Filter: .*\b(number|public_id|user_id|token)\b/#) }) {
                return true
            }
        }
        return false
    }

    /// Whether a join scans a whole table, or starts workers.
    fileprivate var joinsTablesWhole: Bool {
        contains { $0.contains(#/(Hash|Merge) (\w+ )?Join|Gather/#) || $0.contains("Materialize") }
    }

    /// Whether all rows of an App are scanned in a table with some rows per Device.
    fileprivate var walksRowsOfApp: Bool {
        let tables = #/ on (deliveries|events|recent_sends|inbox_rows|device_reads|user_attributes)/#
        for (place, line) in enumerated() where line.contains(tables) {
            let details = self[(place + 1)...].prefix { !$0.contains("->") || $0.contains("Bitmap Index Scan") }
            if details.contains(where: { $0.contains(#/Index Cond: \((\w+\.)?app_id = [^()]+\)$/#) }) { return true }
        }
        return false
    }
}
