import CarillonEngine
import CarillonSQL
import CarillonStore
import Testing

@Suite struct AuditPlanTests {
    @Test("No query of the audit log scans or sorts it") func usesIndexes() async throws {
        try await StoreKind.sqliteInMemory.withInboxes { fixture in
            let plans = try await fixture.database.read { connection in
                var plans: [[String]] = []
                for sql in AuditSQL.all { plans.append(try connection.plan(of: sql)) }
                return plans
            }

            for step in plans.flatMap({ $0 }) {
                #expect(!step.contains("TEMP B-TREE"), "\(step)")
                // The last entry is found from the end of the ids.
                #expect(!step.hasPrefix("SCAN") || plans[0] == [step], "\(step)")
            }
        }
    }
}
