import CarillonEngine
import CarillonModel
import Testing

@testable import CarillonSQL
@testable import CarillonStore

/// Statements name columns by enums, whose cases the compiler does not hold against the schema.
struct ColumnNameTests {
    private static let kinds = StoreKind.allCases.filter { $0 != .sqliteFile }

    @Test("Every statement in the sources names tables and columns of the schema", arguments: kinds)
    func statements(_ kind: StoreKind) async throws {
        let statements = try SourceStatements.all().filter { statement in
            kind == .postgreSQL ? statement.isForPostgreSQL : statement.isForSQLite
        }
        #expect(statements.count > 400)
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            for statement in statements {
                do {
                    try await database.write { connection in try connection.checkNames(of: statement.text) }
                } catch {
                    Issue.record("\(statement.file): \(statement.text)\n\(error)")
                }
            }
        }
    }

    @Test("Columns of statements that are put together are those of a table", arguments: kinds)
    func parts(_ kind: StoreKind) async throws {
        #expect(try SourceStatements.unknownColumns() == [])
        let parts = try SourceStatements.columnsOfParts()
        #expect(parts.contains { $0.columns == ["id", "campaign_id"] })
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let tables = try await database.read { connection in
                try connection.all(
                    connection.dialect.pick(
                        sqlite: """
                            SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
                            WHERE m.type = 'table' LIMIT 10000
                            """,
                        postgreSQL: """
                            SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns
                            WHERE table_schema = current_schema() LIMIT 10000
                            """
                    ),
                    as: (String, String).self
                )
            }
            let columns = Dictionary(grouping: tables, by: \.0).values.map { Set($0.map(\.1)) }
            for (file, part) in parts {
                #expect(columns.contains { $0.isSuperset(of: part) }, "\(part) of \(file) are in no table.")
            }
        }
    }

    @Test("The test reads an enum of columns as a statement does")
    func readsEnums() {
        let source = #"""
            private enum TownColumn: Int, SQLColumn {
                case id, mayorID
                // An expression.
                case count, zone, areaCode

                var sql: String {
                    switch self {
                    case .count: "count(\"n\")"
                    case .zone, .areaCode:
                        """
                        z.\(name)
                        """
                    default: name
                    }
                }
            }
            enum RowColumn: Int, SQLColumn { case first, lastName }
            """#
        let columns = SourceColumns([source])
        #expect(
            columns.expand(#"\(TownColumn.list(of: "t"))"#) == #"t.id, t.mayor_id, count("n"), z.zone, z.area_code"#
        )
        #expect(columns.expand(#"\(TownColumn.assignments(through: .mayorID))"#) == "id = $1, mayor_id = $2")
        #expect(columns.expand(#"\(RowColumn.list), \(RowColumn.parameters)"#) == "first, last_name, $1, $2")
        #expect(columns.expansions(of: #"\(TownColumn.list)"#).map(\.columns) == [["id", "mayor_id"]])
    }
}

extension SQLConnection {
    /// Has the database read a statement without running it.
    fileprivate func checkNames(of text: String) throws {
        if dialect == .sqlite {
            _ = try plan(of: ComposedSQL(ofOurs: text))
        } else {
            try execute(script: "PREPARE checked AS \(text)")
            try execute(script: "DEALLOCATE checked")
        }
    }
}
