import CarillonEngine
import CarillonModel
import Foundation
import TestStores
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Every reading statement of the store has a limit, a whole key or a list of keys: PostgreSQL sends all rows of a
/// result, however few of them are read.
struct BoundedReadingTests {
    /// Statements with a bound that their text does not show, by their beginning.
    private static let exceptions: [(beginning: String, reason: String)] = [
        ("SELECT number, name FROM tags WHERE app_id", "an App has a bounded number of tags"),
        ("SELECT id, topics FROM webhooks WHERE app_id", "an App has a bounded number of webhooks"),
        ("SELECT name, kind, text, number, whole FROM user_attributes", "a User has a bounded number of attributes"),
        ("SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id", "few firings of a Campaign are going on"),
        ("SELECT id FROM apps UNION SELECT id FROM deleted_apps", "Apps of a file that is moved, once"),
        ("SELECT mark FROM commit_marks WHERE slot = $1", "a slot has one row"),
        ("SELECT n.occurrence_id, n.kind, n.count FROM event_counts", "kinds of events of listed Occurrences"),
        ("SELECT n.occurrence_id, n.outcome, COALESCE(r.reason", "outcomes and reasons of listed Occurrences"),
        ("SELECT x.outcome, x.push_type, r.reason, COALESCE(d.public_id", "a row for each item of a bounded list"),
        ("SELECT e.occurred_at, e.reply, COALESCE(d.public_id", "a row for each item of a bounded list"),
        ("SELECT occurrence_id, device_number, push_type, outcome", "a Device has a delivery for each push type"),
        ("SELECT n.outcome, COALESCE(r.reason", "groups are outcomes and reasons, of which there are few"),
        ("SELECT n.kind, CAST(SUM(n.count)", "groups are kinds of events"),
        ("SELECT n.variant, ", "groups are variants and kinds"),
        ("SELECT f.span, f.kind", "spans of a bounded time, kinds and reasons"),
        ("SELECT DISTINCT occurrence_id, action FROM action_counts", "a hundred of an Occurrence are told apart"),
        ("SELECT occurrence_id, device_number, kind, action FROM unnest", "a limited subquery for each of a list"),
        ("SELECT r.number, r.document FROM content_rows r WHERE", "a composed statement, which ends with a limit"),
        ("SELECT r.number, r.latitude, r.longitude FROM content_places", "a composed statement, as the one above"),
        ("SELECT message FROM recent_sends", "listed Devices; what nobody asks for is forgotten with each send"),
        ("SELECT r.device_number FROM recent_sends", "a row for each listed Device"),
        ("SELECT u.value FROM json_each($1) u CROSS JOIN devices d", "a row for each listed User"),
        ("SELECT u.id FROM unnest", "a row for each listed User"),
        ("SELECT c.value, o.id", "a limited subquery for each of a list"),
        ("SELECT i.occurrence_id, ", "a limited subquery for each of a list"),
        ("SELECT b.occurrence_id FROM ( SELECT occurrence_id FROM inbox_broadcasts", "a limited subquery"),
        ("SELECT number FROM devices WHERE app_id = $1 AND public_id = $2 UNION ALL", "the numbers one Device had"),
        ("SELECT number FROM devices WHERE app_id = $1 AND user_id = $2 UNION ALL", "all numbers of a User, to erase"),
        ("SELECT r.device_number FROM unnest(", "a row for each listed Device"),
        ("SELECT n.value FROM json_each($1) n WHERE EXISTS", "a row for each listed Device"),
        (
            "SELECT n.value FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value) WHERE",
            "a row for each listed Device"
        ),
        (
            "SELECT x.occurrence_id, x.device_number, x.push_type, x.outcome, x.at",
            "listed Devices in listed Occurrences"
        ),
        ("SELECT x.occurrence_id, x.device_number, x.due_at", "listed Devices in listed Occurrences"),
        ("SELECT x.app_id, x.occurrence_id, x.device_number, x.kind", "listed Devices in listed Occurrences"),
        ("SELECT id, rule FROM audiences WHERE app_id", "an App has a bounded number of saved audiences"),
        ("SELECT name FROM schema_migrations", "as many as there are migrations"),
        ("SELECT tbl, idx, stat FROM sqlite_stat1", "as many as there are indexes"),
        ("SELECT t.name, CASE WHEN l.origin", "as many as there are indexes"),
        ("SELECT app_id, first_number FROM import_windows", "as many as imports are under way"),
        ("SELECT 1 FROM pg_advisory_xact_lock", "one row"),
        ("SELECT 1 FROM sqlite_schema", "one table of this name"),
        ("SELECT tags, 0 FROM ( SELECT", "a limited subquery, and the User's row"),
        ("SELECT device_number, push_type FROM deliveries", "a row for each listed Device and push type"),
        ("WITH lines AS (", "a row for each line of a bounded list"),
        ("WITH said AS (", "a row for each line of a bounded list"),
    ]

    @Test("Every reading statement is bounded")
    func isBounded() async throws {
        let keys = try await UniqueKeys()
        let statements = try SourceStatements.reading()
        // The scan does find statements.
        #expect(statements.count > 150)

        var used: Set<String> = []
        for statement in statements where !ReadingShape(statement.text).isBounded(by: keys) {
            let exception = Self.exceptions.first { statement.text.hasPrefix($0.beginning) }
            if let exception { used.insert(exception.beginning) }
            #expect(exception != nil, "\(statement.file): \(statement.text)")
        }
        // An unused exception is an error.
        #expect(Self.exceptions.map(\.beginning).filter { !used.contains($0) } == [])
    }

    @Test("PostgreSQL does not plan for a list's values: without statistics it would not use the index")
    func hidesLists() throws {
        let statements = try SourceStatements.all()
        #expect(statements.contains { $0.text.contains("= ANY(ARRAY(SELECT unnest(") })
        for statement in statements {
            #expect(!statement.text.contains(#/= ANY\((?!ARRAY\(SELECT )/#), "\(statement.file): \(statement.text)")
        }
    }

    @Test(
        "The test distinguishes bounded statements",
        arguments: [
            ("SELECT state FROM occurrences WHERE app_id = $1 AND id = $2", true),
            ("SELECT state FROM occurrences WHERE app_id = $1", false),
            ("SELECT state FROM occurrences WHERE app_id = $1 AND id >= $2", false),
            ("SELECT state FROM occurrences WHERE app_id = $1 OR id = $2", false),
            ("SELECT id FROM occurrences WHERE app_id = $1 LIMIT $2", true),
            ("SELECT id FROM (SELECT id FROM occurrences LIMIT 3) AS x JOIN devices d ON d.app_id = $1", false),
            ("SELECT count(*) FROM occurrences WHERE app_id = $1", true),
            ("SELECT count(*) FROM occurrences GROUP BY app_id", false),
            ("SELECT max(id), state FROM occurrences", false),
            ("SELECT number FROM devices WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2))", true),
            ("SELECT number FROM devices WHERE app_id = $1 AND number IN (SELECT number FROM devices)", false),
            ("SELECT id FROM tags WHERE app_id = $1 AND id = $2 UNION ALL SELECT id FROM tags", false),
        ]
    )
    func tellsApart(_ text: String, _ isBounded: Bool) async throws {
        #expect(ReadingShape(text).isBounded(by: try await UniqueKeys()) == isBounded, "\(text)")
    }
}

/// The columns of every unique key of the schema.
struct UniqueKeys {
    private(set) var columns: [String: [Set<String>]] = [:]

    init() async throws {
        let database = try SQLiteDatabase(inMemory: .forTests)
        defer { database.close() }
        _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
        let rows = try await database.read { connection in
            try connection.all(
                """
                SELECT m.name, i.name, c.name FROM sqlite_schema m JOIN pragma_index_list(m.name) i
                JOIN pragma_index_info(i.name) c
                WHERE m.type = 'table' AND i."unique" = 1 AND i.partial = 0 LIMIT 100000
                """
            ) { (table: $0.string(0), key: $0.string(1), column: $0.string(2)) }
        }
        for (table, keys) in Dictionary(grouping: rows, by: \.table) {
            columns[table] = Dictionary(grouping: keys, by: \.key).values.map { Set($0.map(\.column)) }
        }
    }
}
