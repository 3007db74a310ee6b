import CarillonEngine
import CarillonModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Erasures and exports find their rows by an index, however many rows an App has.
@Suite struct PersonPlanTests {
    @Test("S1-M5 an erasure and an export scan no table")
    func readsByIndex() async throws {
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
            let statements = RedactionSQL.reading + UserExportSQL.reading
            for sql in statements {
                let plan = try await database.read { connection in try connection.plan(of: sql) }
                #expect(!plan.isEmpty)
                for step in plan {
                    // Lists that are bound, and rows that a step has found already.
                    let isBound = step.hasPrefix("SCAN o ") || step.hasPrefix("SCAN n ")
                    let isList = isBound && step.contains("VIRTUAL TABLE")
                    #expect(!step.hasPrefix("SCAN") || isList || step == "SCAN w", "\(step)")
                    #expect(!step.hasSuffix("(app_id=?)"), "\(step)")
                }
            }
        }
    }

    @Test(
        "S1-M4 lists of Campaigns and of messages use an index, whatever lies in between",
        arguments: [
            "SELECT id FROM campaigns WHERE app_id = $1 AND kind = 0 AND id < $2 AND is_test = 0 ORDER BY id DESC LIMIT $3",
            "SELECT id FROM campaigns WHERE kind = 0 AND id < $1 AND is_test = 0 ORDER BY id DESC LIMIT $2",
            "SELECT id FROM campaigns WHERE app_id = $1 AND kind = 1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
            "SELECT id FROM campaigns WHERE app_id = $1 AND names_people = 1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4",
        ] as [SQL]
    )
    func listsByIndex(_ sql: SQL) async throws {
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 1))
            let plan = try await database.read { connection in try connection.plan(of: sql) }
            let isByKind = plan.first?.contains("campaigns_by_kind") ?? false
            let isByName = plan.first?.contains("campaigns_naming_people") ?? false
            #expect(plan.count == 1 && (isByKind || isByName), "\(plan)")
        }
    }
}
