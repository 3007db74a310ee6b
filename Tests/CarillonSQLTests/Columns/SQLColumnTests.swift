import StoreErrors
import Testing

@testable import CarillonSQL

@Suite struct SQLColumnTests {
    private enum TownColumn: Int, SQLColumn {
        case id, shortName, mayorID, count

        var sql: String { self == .count ? "7" : name }
    }

    private enum WrittenColumn: Int, SQLColumn { case id, shortName, mayorID }

    private let database: SQLiteDatabase

    init() async throws {
        database = try SQLiteDatabase(inMemory: SQLiteDatabase.Options(), functions: { _ in })
        try await database.write { connection in
            try connection.run("CREATE TABLE towns (id BIGINT, short_name TEXT, mayor_id BIGINT)")
            try connection.run("INSERT INTO towns (\(WrittenColumn.list)) VALUES (\(WrittenColumn.parameters))") {
                (row: SQLParameters<WrittenColumn>) in
                row.bind(3, to: .mayorID)
                row.bind("tp", to: .shortName)
                row.bind(1, to: .id)
            }
        }
    }

    @Test("A statement's text has an enum's columns in snake case")
    func texts() {
        let select: SQL = "SELECT \(TownColumn.list(of: "t")) FROM towns t"
        #expect(select.text == "SELECT t.id, t.short_name, t.mayor_id, 7 FROM towns t")
        let first: SQL = "SELECT \(TownColumn.list(through: .shortName)) FROM towns"
        #expect(first.text == "SELECT id, short_name FROM towns")
        let update: SQL = "UPDATE towns SET \(WrittenColumn.assignments(through: .shortName)) WHERE mayor_id = $3"
        #expect(update.text == "UPDATE towns SET id = $1, short_name = $2 WHERE mayor_id = $3")
    }

    @Test("Statements with other columns, aliases or literals have other keys")
    func keys() {
        let statements: [SQL] = [
            "SELECT \(TownColumn.list) FROM towns", "SELECT \(WrittenColumn.list) FROM towns",
            "SELECT \(TownColumn.list(through: .shortName)) FROM towns", "SELECT \(TownColumn.list) FROM towns ",
            "SELECT \(TownColumn.parameters) FROM towns",
        ]
        #expect(Set(statements.map(\.key)).count == statements.count)
        let keys = (0..<2).map { _ in ("SELECT \(TownColumn.list) FROM towns" as SQL).key }
        #expect(keys[0] == keys[1])
    }

    @Test("A row is read by column, and following columns after it")
    func reading() async throws {
        let town = try await database.read { connection in
            try connection.first("SELECT \(TownColumn.list), \(WrittenColumn.list(of: "t")) FROM towns t") {
                (row: SQLRow<TownColumn>) in
                let other = row.following(WrittenColumn.self)
                let name: String = try row[.shortName]
                let ids: [Int64] = [try row[.id], try row[.mayorID], try row[.count], try other[.mayorID]]
                return (name, ids)
            }
        }
        #expect(town?.0 == "tp")
        #expect(town?.1 == [1, 3, 7, 3])
    }

    @Test("Few columns are read as a tuple, and null as nil")
    func tuples() async throws {
        let rows = try await database.read { connection in
            try connection.all("SELECT id, short_name, NULL FROM towns", as: (Int, String, Int64?).self)
        }
        #expect(rows.count == 1)
        #expect(rows.first?.0 == 1)
        #expect(rows.first?.1 == "tp")
        #expect(rows.first?.2 == nil)
    }

    @Test("Another error becomes a store error that names it")
    func foreignError() async {
        struct Odd: Error {}
        await #expect(throws: StoreError.failed("Odd()")) {
            try await database.read { _ in throw Odd() }
        }
    }
}
