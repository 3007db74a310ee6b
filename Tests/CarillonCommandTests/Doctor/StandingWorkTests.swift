import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Testing

@testable import CarillonCommand

/// What an examination of the store tells of work that nobody does.
struct StandingWorkTests {
    @Test("S2-5 Due Chunks are reported as free, or as leased by a dispatcher without a heartbeat")
    func standingChunks() async throws {
        try await ServerDoctorWorld.with { world in
            try await world.server { server in
                let message = Message(content: ["default": .init(body: "Hello")])
                let app = try await ServerDoctorTests.app(server).app.id
                _ = try await server.engine.apps.setPushKey(app, ServerDoctorTests.pushKey)
                let request = CampaignRequest(audience: .all, message: message)
                let campaign = try await server.engine.campaigns.create(app: app, request).id
                let database = server.stores.database
                try await database.write { connection in
                    try connection.run("UPDATE occurrences SET started_at = 4 WHERE campaign_id = $1", campaign)
                    // Free ones, of which one was to wait and one is not due, and one that a dispatcher holds.
                    _ = try connection.run(
                        """
                        INSERT INTO chunks (app_id, occurrence_id, chunk, campaign_id, after_time, after_device,
                            through_time, through_device, owner, fence, beat, free_at)
                        SELECT app_id, id, n.number, campaign_id, 0, 0, 0, 0, n.owner, 0, 0, n.free FROM occurrences,
                            (SELECT 1 AS number, NULL AS owner, 0 AS free UNION ALL SELECT 2, NULL, 6
                                UNION ALL SELECT 3, NULL, 9 UNION ALL SELECT 4, 7, 0) AS n
                        WHERE campaign_id = $1
                        """,
                        campaign
                    )
                }

                let found = try await ServerExamination(of: database, at: Timestamp(rawValue: 8), patience: .zero)

                let free = found.standing.filter { $0.kind == .freeChunk }
                #expect(free.map(\.since) == [Timestamp(rawValue: 4), Timestamp(rawValue: 6)])
                #expect(free.allSatisfy { $0.app == app && $0.campaign == campaign })
                #expect(found.standing.filter { $0.kind == .heldChunk }.count == 1)
                #expect(found.standing.filter { $0.kind == .wave }.map(\.since) == [Timestamp(rawValue: 4)])
            }
        }
    }
}
