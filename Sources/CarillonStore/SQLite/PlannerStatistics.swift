import CarillonEngine
import CarillonSQL

/// What SQLite's planner is told of the indexes: a large App, always the same, in place of what `ANALYZE` would count.
///
/// Every key begins with the App, and without statistics the planner takes its first column alone for as selective as two
/// columns of another index: it then walks through all Devices of an App where an index leads to one. With fixed figures
/// the plans are those that tests look at, however full a table is.
/// Source: https://sqlite.org/fileformat2.html#the_sqlite_stat1_table
enum PlannerStatistics {
    /// A row of `sqlite_stat1`.
    struct Row: Hashable {
        var table: String
        /// An index; the table's own name for its primary key.
        var index: String
        var figures: String
    }

    /// A column of an index, in the order of the index.
    struct Column {
        var table: String
        var index: String
        var isUnique: Bool
        var name: String
    }

    /// How many rows a table has.
    private static let rows = 1_000_000
    /// How many have the same first two columns: notifications of an Occurrence, Devices of a label.
    private static let largeGroup = 10_000
    private static let smallGroup = 10
    private static let tablesOfLargeGroups: Set<String> = [
        "deliveries", "events", "retries", "device_tags", "device_categories",
    ]

    /// The rows for some indexes, given by their columns.
    static func rows(of columns: [Column]) -> [Row] {
        Dictionary(grouping: columns) { Row(table: $0.table, index: $0.index, figures: "") }
            .map { key, columns in
                Row(table: key.table, index: key.index, figures: figures(of: columns))
            }
    }

    /// The rows of the whole index, then how many share the first column, the first two, and so on.
    private static func figures(of columns: [Column]) -> String {
        var group = rows
        let groups = columns.indices.map { place in
            let column = columns[place]
            if column.isUnique, place == columns.count - 1 {
                group = 1
            } else if column.name != "app_id" {
                let isLarge = place == 1 && tablesOfLargeGroups.contains(column.table)
                group = min(group, isLarge ? largeGroup : smallGroup)
            }
            return String(group)
        }
        return ([String(rows)] + groups + ["noskipscan"]).joined(separator: " ")
    }
}

/// The columns of indexes as SQLite tells of them.
private enum IndexColumn: Int, SQLColumn {
    case table, index, isUnique, name

    var sql: String {
        switch self {
        case .table: "t.name"
        case .index: "CASE WHEN l.origin = 'pk' AND t.wr THEN t.name ELSE l.name END"
        case .isUnique: "l.\"unique\""
        case .name: "x.name"
        }
    }
}

extension PlannerStatisticsTable {
    /// Writes the figures of all indexes, if they are not there yet, and lets the planner read them; on SQLite alone.
    ///
    /// An index that is dropped takes its figures along, so that this follows whatever makes one.
    func describeIndexes() throws {
        guard connection.dialect == .sqlite else { return }
        let wanted = Set(PlannerStatistics.rows(of: try indexColumns()))
        guard try wanted != describedIndexes() else { return }
        // Makes the table; what it counts is replaced.
        try connection.execute(script: "ANALYZE schema_migrations; DELETE FROM sqlite_stat1")
        for row in wanted {
            try connection.run(
                "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)",
                row.table,
                row.index,
                row.figures
            )
        }
        try connection.execute(script: "ANALYZE sqlite_schema")
    }

    private func describedIndexes() throws -> Set<PlannerStatistics.Row> {
        let exists = try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'") { _ in true }
        guard exists != nil else { return [] }
        let rows = try connection.all("SELECT tbl, idx, stat FROM sqlite_stat1", as: (String, String, String).self)
        return Set(rows.map { PlannerStatistics.Row(table: $0, index: $1, figures: $2) })
    }

    private func indexColumns() throws -> [PlannerStatistics.Column] {
        try connection.all(
            """
            SELECT \(IndexColumn.list) FROM pragma_table_list t JOIN pragma_index_list(t.name) l JOIN pragma_index_xinfo(l.name) x
            WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND x.key = 1
            ORDER BY t.name, l.name, x.seqno
            """
        ) { (row: SQLRow<IndexColumn>) in
            PlannerStatistics.Column(
                table: try row[.table],
                index: try row[.index],
                isUnique: try row[.isUnique],
                name: try row[.name]
            )
        }
    }
}
