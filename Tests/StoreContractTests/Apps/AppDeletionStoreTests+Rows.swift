import CarillonEngine
import CarillonModel
import CarillonSQL

@testable import CarillonStore

/// Rows of Apps in all tables, whatever the tables are.
extension AppDeletionStoreTests {
    struct Column {
        var table: String
        var name: String
        var type: String
        var isRequired: Bool
    }

    /// The columns of all tables that have an App, without partitions.
    func tables(_ database: any Database) async throws -> [String: [Column]] {
        let all = try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT m.name, c.name, lower(c.type), c."notnull" FROM sqlite_master m, pragma_table_info(m.name) c
                        WHERE m.type = 'table' ORDER BY m.name, c.cid LIMIT 10000
                        """,
                    postgreSQL: """
                        SELECT table_name || '', column_name || '', lower(data_type), CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END
                        FROM information_schema.columns WHERE table_schema = current_schema()
                            AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)
                        ORDER BY table_name, ordinal_position LIMIT 10000
                        """
                )
            ) { row in
                Column(table: row.string(0), name: row.string(1), type: row.string(2), isRequired: row.int64(3) != 0)
            }
        }
        let byTable = Dictionary(grouping: all, by: \.table)
        return byTable.filter { $0.value.contains { $0.name == "app_id" } }
    }

    /// How many rows of an App a test gives a table.
    func rowCount(_ table: String) -> Int {
        AppRows.all.first { $0.table == table }?.key.isEmpty == true ? 1 : 3
    }

    /// Inserts rows of an App, each with another number in all columns of its key.
    func fill(
        _ table: String,
        _ columns: [Column],
        _ app: AppID,
        rows: Int? = nil,
        _ database: any Database
    ) async throws {
        let (isSQLite, rows) = (database.dialect == .sqlite, rows ?? rowCount(table))
        let names = columns.filter { $0.isRequired || $0.name == "app_id" }
        let values = names.map { column in
            if column.name == "app_id" { return "\(app.rawValue)" }
            let number = column.name == "id" || column.name == "owner" ? "n + 100000 * \(app.rawValue)" : "n"
            if column.type.contains("text") { return "CAST(\(number) AS TEXT)" }
            guard column.type.contains("blob") || column.type.contains("bytea") else { return number }
            let text = "CAST(n + 100000 * \(app.rawValue) AS TEXT)"
            return isSQLite ? "CAST(\(text) AS BLOB)" : "CAST(\(text) AS BYTEA)"
        }
        let series =
            isSQLite
            ? "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < \(rows)) SELECT n FROM s) AS s"
            : "generate_series(1, \(rows)) AS n"
        let list = names.map(\.name).joined(separator: ", ")
        try await database.write { connection in
            try connection.execute(
                script: "INSERT INTO \(table) (\(list)) SELECT \(values.joined(separator: ", ")) FROM \(series)"
            )
        }
    }

    func addApps(_ database: any Database) async throws {
        try await database.write { connection in
            try connection.execute(
                script: """
                    INSERT INTO apps (id, name, bundle_id, identity, created_at, next_device_number)
                    VALUES (7, 'a', 'a', 'open', 0, 1), (8, 'b', 'b', 'open', 0, 1);
                    """
            )
        }
    }

    func count(_ table: String, _ app: AppID, _ database: any Database) async throws -> Int {
        try await database.read { connection in
            let statement = try connection.prepare(
                ComposedSQL(ofOurs: "SELECT count(*) FROM \(table) WHERE app_id = \(app.rawValue)")
            )
            defer { statement.reset() }
            return try statement.next() ? Int(statement.int64(0)) : 0
        }
    }

    /// Removes all rows that may be removed.
    func removeAll(_ store: any AppDeletionStore, onlyWork: Bool = false) async throws -> [Int] {
        var (counts, position): ([Int], AppRowsPosition?) = ([], .start)
        while let place = position {
            let step = try await store.removeSome(of: Self.app, after: place, onlyWork: onlyWork)
            if step.count > 0 { counts.append(step.count) }
            position = step.next
        }
        return counts
    }
}
