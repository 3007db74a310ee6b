import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// The cost of working out where a Campaign stands.
struct ProgressPlanTests {
    @Test("Whether an Occurrence is open is asked of an index of open ones, however many are over")
    func usesTheIndex() async throws {
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let plan = try await database.read { connection in
                let statement = try connection.prepare(
                    ComposedSQL(ofOurs: "EXPLAIN QUERY PLAN " + OccurrenceTable.progress.text)
                )
                var lines: [String] = []
                while try statement.next() { lines.append(statement.string(3)) }
                statement.reset()
                return lines
            }
            #expect(plan.contains { $0.contains("occurrences_open") }, "\(plan)")
            #expect(!plan.contains { $0.contains("SCAN") && $0.contains(" o") }, "\(plan)")
        }
    }
}
