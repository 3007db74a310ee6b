import CarillonEngine
import CarillonSQL
import CarillonStore
import Testing

@Suite struct MessageLogPlanTests {
    @Test("No query of the message log scans a table, and none sorts more than a User's numbers")
    func usesIndexes() async throws {
        try await StoreKind.sqliteInMemory.withInboxes { fixture in
            let plans = try await fixture.database.read { connection in
                var plans: [[String]] = []
                for sql in MessageLogSQL.all { plans.append(try connection.plan(of: sql)) }
                return plans
            }

            for step in plans.flatMap({ $0 }) {
                #expect(!step.hasPrefix("SCAN") || step == "SCAN o", "\(step)")
            }
            let deliveries = plans.flatMap { $0 }.filter { $0.contains("deliveries") || $0.hasPrefix("SEARCH x") }
            #expect(deliveries.count == 5)
            // An index by the App alone would scan all rows of the App.
            #expect(deliveries.allSatisfy { $0.contains("app_id=? AND occurrence_id=? AND") })
        }
    }
}
