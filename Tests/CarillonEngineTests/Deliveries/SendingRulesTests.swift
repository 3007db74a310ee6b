import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SendingRulesTests {
    private func send(
        _ world: DeliveryWorld,
        _ change: (inout CampaignRequest) -> Void = { _ in }
    ) async throws -> Funnel {
        var request = world.request()
        change(&request)
        let campaign = try await world.campaigns.create(app: world.app, request)
        try await world.finish(campaign.id)
        return try await world.funnel(campaign.id)
    }

    @Test("A cap counts what a Device got in the period before") func countsDevices() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        var rules = SendingRules()
        rules.frequencyCaps = [FrequencyCap(limit: 2, period: 3_600)]
        try await world.set(rules)
        #expect(try await send(world).accepted == 3)
        world.time.advance(by: .seconds(60))
        #expect(try await send(world).accepted == 3)
        #expect(try await send(world).skipped == ["FrequencyCap": 3])
        #expect(try await send(world) { $0.isTransactional = true }.accepted == 3)
        try await world.addDevices(1, from: 4)
        #expect(try await send(world).accepted == 1)
        // The first of the two is an hour old.
        world.time.advance(by: .seconds(3_540))
        #expect(try await send(world).accepted == 4)
        #expect(try await send(world).skipped == ["FrequencyCap": 4])
        world.time.advance(by: .seconds(7_200))
        #expect(try await send(world).accepted == 4)
        // Only the last hour is read.
        #expect(try await world.rowCount("SELECT count(*) FROM recent_sends") == 4)
    }

    @Test("A User's cap counts a firing once") func countsFiringsOnce() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(user: $0 < 3 ? "u" : nil) }
        var rules = SendingRules()
        rules.frequencyCaps = [FrequencyCap(limit: 2, period: 86_400, per: .user)]
        try await world.set(rules)
        #expect(try await send(world).accepted == 3)
        let first = try await send(world) { $0.audience = .devices([DeliveryWorld.id(1)]) }
        #expect(first.accepted == 1)
        let third = try await send(world)
        #expect(third.skipped == ["FrequencyCap": 2] && third.accepted == 1)
    }

    @Test("A cap of ads leaves other messages") func capsOnlyAds() async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T12:00:00+09:00"))
        try await world.addDevices(1) { _ in .init(consent: [.notifications, .ads]) }
        var rules = SendingRules()
        rules.frequencyCaps = [FrequencyCap(limit: 1, period: 86_400, adsOnly: true)]
        try await world.set(rules)
        #expect(try await send(world).accepted == 1)
        #expect(try await send(world) { $0.isAd = true }.accepted == 1)
        #expect(try await send(world) { $0.isAd = true }.skipped == ["FrequencyCap": 1])
        #expect(try await send(world).accepted == 1)
    }

    @Test("T-54 a duplicate within the period is skipped; with one criterion changed it is sent")
    func duplicates() async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T12:00:00+09:00"))
        try await world.addDevices(2) { _ in .init(consent: [.notifications, .ads]) }
        #expect(try await send(world).accepted == 2)
        #expect(try await world.rowCount("SELECT count(*) FROM recent_sends") == 0)
        var rules = SendingRules()
        rules.duplicateGuard = 10
        try await world.set(rules)

        #expect(try await send(world).accepted == 2)
        #expect(try await send(world).skipped == ["DuplicateMessage": 2])
        #expect(try await send(world) { $0.isAd = true }.accepted == 2)
        #expect(try await send(world) { $0.message = DeliveryWorld.message("other") }.accepted == 2)
        _ = try await world.database.write { [app = world.app] connection in
            try connection.run(
                "UPDATE devices SET token = $1 WHERE app_id = $2 AND number = 2",
                DeliveryWorld.token(9),
                app
            )
        }
        let renewed = try await send(world)
        #expect(renewed.skipped == ["DuplicateMessage": 1] && renewed.accepted == 1)
        world.time.advance(by: .seconds(600))
        #expect(try await send(world).accepted == 2)
    }
}
