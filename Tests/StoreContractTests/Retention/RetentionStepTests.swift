import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// The cost of a retention step does not depend on where it begins.
@Suite struct RetentionStepTests {
    private static let app = AppID(rawValue: 7)

    private func fill(_ database: any Database, rows rowCount: Int64, of occurrence: Int64) async throws {
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
        try await database.write(priority: .bulk) { connection in
            let insert = connection.dialect.pick(
                sqlite: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
                    INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                    SELECT 7, $2, i, 1, 1, 0, 0 FROM n
                    """,
                postgreSQL: """
                    INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                    SELECT 7, CAST($2 AS BIGINT), i, 1, 1, 0, 0 FROM generate_series(1, CAST($1 AS BIGINT)) AS i
                    """
            )
            let statement = try connection.prepare(insert)
            statement.bind(rowCount, at: 1)
            statement.bind(occurrence, at: 2)
            try statement.run()
        }
    }

    @Test("Statements of steps begin at the cursor, by key", arguments: [StoreKind.sqliteInMemory])
    func plans(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
            try await database.read { connection in
                for statement in RetentionSQL.steps {
                    let plan = try connection.plan(of: statement).joined(separator: "\n")
                    #expect(plan.contains("USING PRIMARY KEY (app_id=?"), "\(plan)")
                    #expect(plan.contains(">"), "\(plan)")
                    #expect(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "\(plan)")
                }
            }
        }
    }

    @Test(
        "The last step in a large Occurrence reads as many pages as the first",
        .enabled(if: StoreKind.allCases.contains(.postgreSQL))
    )
    func pages() async throws {
        try await StoreKind.postgreSQL.withDatabase { database in
            let time = Timestamp(rawValue: 1_700_000_000_000)
            let occurrence = time.firstOccurrence - 1_000
            try await fill(database, rows: 20_000, of: occurrence)
            func read(from device: Int64) async throws -> Int {
                let begin = device == 0 ? -1 : occurrence
                let values = [begin, device, 1, time.firstOccurrence, 499]
                return try pages(try await plan(RetentionSQL.lastDelivery, values, database))
            }
            let first = try await read(from: 0)
            var cursor: RetentionCursor? = .start
            var steps = 0
            while let place = cursor, place.number < 19_000 {
                cursor = try await database.write(priority: .bulk) { connection in
                    try connection.retention.drop(.deliveries, of: Self.app, before: time, after: place, limit: 500)
                }
                steps += 1
            }
            #expect(steps == 38)
            let last = try await read(from: try #require(cursor).number)
            // Nothing has been vacuumed: a step that began at the first row would scan 19,000 deleted ones.
            #expect(last <= first + 6, "\(first) pages at first, \(last) at last")
        }
    }

    @Test(
        "A step deletes its rows without reading the rest of their Occurrence",
        .enabled(if: StoreKind.allCases.contains(.postgreSQL))
    )
    func pagesOfDeletion() async throws {
        try await StoreKind.postgreSQL.withDatabase { database in
            let occurrence: Int64 = 1_000
            try await fill(database, rows: 50_000, of: occurrence)
            let plan = try await plan(RetentionSQL.dropDeliveries, [occurrence, 100, 200, 1, 1], database)
            #expect(plan.contains { $0.contains("rows=100 ") }, "\(plan)")
            // Each row's own page, and a few of the index, whose other pages are more than 150.
            #expect(try pages(plan) < 130, "\(plan)")
        }
    }

    /// The executed plan of a step's statement.
    private func plan(_ statement: SQL, _ values: [Int64], _ database: any Database) async throws -> [String] {
        try await database.write(priority: .bulk) { connection in
            try connection.retention.preferIndexes()
            let text = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) \(statement.text)"
            let explanation = try connection.prepare(ComposedSQL(ofOurs: text))
            explanation.bind(Self.app.rawValue, at: 1)
            for (place, value) in values.enumerated() { explanation.bind(value, at: place + 2) }
            var lines: [String] = []
            while try explanation.next() { lines.append(explanation.string(0)) }
            explanation.reset()
            return lines
        }
    }

    /// The number of pages that a plan reports as read.
    private func pages(_ plan: [String]) throws -> Int {
        let line = try #require(plan.first { $0.contains("Buffers:") }, "\(plan)")
        return line.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }.reduce(0, +)
    }

    @Test(
        "Steps leave the rows of an incomplete Occurrence, and continue after them",
        arguments: StoreKind.allCases
    )
    func open(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let time = Timestamp(rawValue: 1_700_000_000_000)
            let first = time.firstOccurrence - 10
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
            try await database.write(priority: .bulk) { connection in
                for occurrence in 0..<5 {
                    for device in 1...7 {
                        try connection.send(
                            """
                            INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                            VALUES (7, $1, $2, 1, 1, 0, 0)
                            """,
                            first + Int64(occurrence),
                            Int64(device)
                        )
                    }
                }
                for open in [1, 3] {
                    try connection.run(
                        """
                        INSERT INTO waves (app_id, occurrence_id, wave, campaign_id, due_at, cursor, is_read)
                        VALUES (7, $1, 1, 1, 0, 0, 0)
                        """,
                        first + Int64(open)
                    )
                }
            }
            var cursor: RetentionCursor? = .start
            var steps = 0
            while let place = cursor, steps < 100 {
                cursor = try await database.write(priority: .bulk) { connection in
                    try connection.retention.drop(.deliveries, of: Self.app, before: time, after: place, limit: 3)
                }
                steps += 1
            }
            let left = try await database.read { connection in
                try connection.all(
                    "SELECT occurrence_id, count(*) FROM deliveries GROUP BY occurrence_id ORDER BY occurrence_id LIMIT 9"
                ) { [$0.int64(0), $0.int64(1)] }
            }
            #expect(left == [[first + 1, 7], [first + 3, 7]])
            #expect(steps < 20)
        }
    }
}
