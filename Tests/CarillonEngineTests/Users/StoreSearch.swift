import CarillonEngine
import CarillonModel
import CarillonSQL
import Foundation

@testable import CarillonStore

/// Searches all texts of a store: in all columns of texts and bytes, which the database lists itself.
struct StoreSearch {
    let database: any Database

    /// All columns of texts and bytes, as `table.column`.
    func columns() async throws -> [(table: String, column: String, isText: Bool)] {
        try await database.read { connection in
            try connection.all(
                connection.dialect.pick(
                    sqlite: """
                        SELECT m.name, c.name, lower(c.type) FROM sqlite_master m, pragma_table_info(m.name) c
                        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND lower(c.type) IN ('text', 'blob')
                        ORDER BY m.name, c.cid LIMIT 10000
                        """,
                    postgreSQL: """
                        SELECT table_name || '', column_name || '', lower(data_type)
                        FROM information_schema.columns WHERE table_schema = current_schema()
                            AND lower(data_type) IN ('text', 'bytea', 'character varying', 'json', 'jsonb')
                            AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)
                        ORDER BY table_name, ordinal_position LIMIT 10000
                        """
                )
            ) { row in (row.string(0), row.string(1), !["blob", "bytea"].contains(row.string(2))) }
        }
    }

    /// The columns that contain a text or some bytes, as `table.column`.
    func columns(with text: String, bytes: [[UInt8]]) async throws -> Set<String> {
        var found: Set<String> = []
        for (table, column, isText) in try await columns() where table != "schema_migrations" {
            let condition =
                isText
                ? textCondition(column, [text] + bytes.filter { $0.count == 16 }.map(Self.uuid))
                : bytesCondition(column, [Array(text.utf8)] + bytes)
            // Statements are literals; a script may be composed, and reports a match by a row.
            let isThere = try await database.write { connection in
                try connection.execute(
                    script: """
                        DELETE FROM schema_migrations WHERE name = 'found';
                        INSERT INTO schema_migrations (name, applied_at)
                        SELECT 'found', 0 WHERE EXISTS (SELECT 1 FROM \(table) WHERE \(condition))
                        """
                )
                return try connection.run("DELETE FROM schema_migrations WHERE name = 'found'") > 0
            }
            if isThere { found.insert("\(table).\(column)") }
        }
        return found
    }

    // MARK: - Private

    private static func uuid(_ bytes: [UInt8]) -> String {
        DeviceID(rawValue: bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }).description
    }

    private func textCondition(_ column: String, _ needles: [String]) -> String {
        let function = database.dialect == .sqlite ? "instr" : "strpos"
        return needles.map { "\(function)(lower(\(column)), '\($0)') > 0" }.joined(separator: " OR ")
    }

    private func bytesCondition(_ column: String, _ needles: [[UInt8]]) -> String {
        needles.map { needle in
            let digits = needle.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return database.dialect == .sqlite
                ? "instr(CAST(\(column) AS BLOB), X'\(digits)') > 0"
                : "position('\\x\(digits)'::bytea IN \(column)) > 0"
        }.joined(separator: " OR ")
    }
}
