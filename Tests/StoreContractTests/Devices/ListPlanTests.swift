import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// The cost of lists of and searches for Devices and Users, which must not grow with how many there are.
struct ListPlanTests {
    /// The statements, each with the beginning of the lines that its plan has for every table that it reads.
    private static let statements: [(name: String, statement: SQL, index: String)] = [
        ("all Devices", DeviceTable.selectAll, "app_id=? AND number>?"),
        ("Devices of a User", DeviceTable.selectOfUser, "app_id=? AND user_id=? AND number>?"),
        ("a Device", DeviceTable.select, "app_id=? AND public_id=?"),
        ("tokens of a Device", TokenSQL.ofDevice, "app_id=? AND public_id=?"),
        ("a whole token", TokenSQL.ofToken, "app_id=? AND "),
        ("Users by prefix", UserRepository.listed, "app_id=? AND user_id>?"),
    ]

    @Test("K-72 a page is found by an index from its cursor on, and not sorted", arguments: statements.map(\.name))
    func usesIndexes(_ name: String) async throws {
        let (_, sql, index) = try #require(Self.statements.first { $0.name == name })
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let plan = try await database.read { connection in
                let statement = try connection.prepare(ComposedSQL(ofOurs: "EXPLAIN QUERY PLAN " + sql.text))
                var lines: [String] = []
                while try statement.next() { lines.append(statement.string(3)) }
                statement.reset()
                return lines
            }
            #expect(plan.contains { $0.contains("SEARCH") && $0.contains(index) }, "\(plan)")
            #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
