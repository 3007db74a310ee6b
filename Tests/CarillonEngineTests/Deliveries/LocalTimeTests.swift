import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalTimeTests {
    private func request(_ world: DeliveryWorld, _ wall: String) -> CampaignRequest {
        var request = world.request()
        request.schedule = Schedule(
            .at([WallTime(wall)].compactMap(\.self)),
            zone: "America/New_York",
            isLocal: true
        )
        return request
    }

    private func move(_ world: DeliveryWorld, _ device: Int, to zone: String) async throws {
        _ = try await world.database.write { [app = world.app] connection in
            try connection.run(
                "UPDATE devices SET time_zone = $1 WHERE app_id = $2 AND number = $3",
                zone,
                app,
                device
            )
        }
    }

    @Test("T-69 Seoul and London get it at the same local time, hours apart, once each")
    func sameWallClock() async throws {
        let world = try await DeliveryWorld()
        let zones = [
            "Asia/Seoul", "Europe/London", nil, "Mars/Phobos", "Asia/Seoul", "Asia/Kolkata", "Pacific/Chatham",
        ]
        try await world.addDevices(7) { .init(zone: zones[$0 - 1]) }
        let campaign = try await world.campaigns.create(app: world.app, request(world, "2026-03-03T09:00"))
        // In the first zone it is the third at 09:00 when it is the second at 19:00 UTC.
        #expect(campaign.nextAt == Timestamp("2026-03-03T09:00:00+14:00"))

        try await world.finish(campaign.id)

        let times = [
            1: "+09:00", 2: "+00:00", 3: "-05:00", 4: "-05:00", 5: "+09:00", 6: "+05:30", 7: "+13:45",
        ].mapValues { Timestamp("2026-03-03T09:00:00" + $0) }
        #expect(try await world.deliveries(campaign.id).mapValues { $0.at as Timestamp? } == times)
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 } && world.sender.counts.count == 7)
        #expect(try await world.rowCount(.waveCount) == 0)
    }

    @Test("A Device that changes its zone meanwhile gets it once") func sendsOnceAfterZoneChanges() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4) { .init(zone: $0 == 2 ? "Europe/London" : "Asia/Seoul") }
        let campaign = try await world.campaigns.create(app: world.app, request(world, "2026-03-03T09:00"))
        try await world.dispatching(world.dispatcher()) {
            // The first Wave, in a zone without Devices, and Seoul's.
            try await world.advanceToNextWork(of: campaign.id)
            // Before Seoul's time one of them has moved west.
            try await world.wait(for: .sending, of: campaign.id)
            try await move(world, 4, to: "America/Los_Angeles")
            try await world.advanceToNextWork(of: campaign.id)
            try await world.wait(of: campaign.id) { $0.accepted == 2 }
            // A Device that has it moves west, and one without it moves to a zone where the time has passed.
            try await move(world, 1, to: "Europe/London")
            try await move(world, 2, to: "Asia/Seoul")
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        #expect(world.sender.counts.count == 4 && world.sender.counts.values.allSatisfy { $0 == 1 })
        let times = try await world.deliveries(campaign.id).mapValues(\.at)
        #expect(times[1] == Timestamp("2026-03-03T09:00:00+09:00") && times[3] == times[1])
        // London's Wave includes the one that came from there.
        #expect(times[2] == Timestamp("2026-03-03T09:00:00Z"))
        #expect(times[4] == Timestamp("2026-03-03T09:00:00-08:00"))
    }

    @Test("Zones in which the time had passed at acceptance get nothing") func skipsPassedTimes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(zone: ["Asia/Seoul", "Europe/London", "America/New_York"][$0 - 1]) }
        // It is 21:00 in Seoul, noon in London.
        let campaign = try await world.campaigns.create(app: world.app, request(world, "2026-03-01T18:00"))

        try await world.finish(campaign.id)

        let deliveries = try await world.deliveries(campaign.id)
        #expect(deliveries[1]?.reason == "LocalTimePassed")
        #expect(deliveries[2]?.at == Timestamp("2026-03-01T18:00:00Z") && deliveries[2]?.outcome == .accepted)
        #expect(deliveries[3]?.at == Timestamp("2026-03-01T18:00:00-05:00"))
    }

    @Test("K-41 with nextDay, zones in which the time had passed get it a day later, once each")
    func movesPassedTimes() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3) { .init(zone: ["Asia/Seoul", "Europe/London", "America/New_York"][$0 - 1]) }
        // It is 21:00 in Seoul, noon in London.
        var request = request(world, "2026-03-01T18:00")
        request.schedule?.passed = .nextDay
        let campaign = try await world.campaigns.create(app: world.app, request)

        try await world.finish(campaign.id)

        let times = try await world.deliveries(campaign.id).mapValues(\.at)
        #expect(times[1] == Timestamp("2026-03-02T18:00:00+09:00"))
        #expect(times[2] == Timestamp("2026-03-01T18:00:00Z"))
        #expect(times[3] == Timestamp("2026-03-01T18:00:00-05:00"))
        #expect(world.sender.counts.count == 3 && world.sender.counts.values.allSatisfy { $0 == 1 })
    }

    @Test("T-42 in local time each Device has its own time to live")
    func validityIsLocal() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2) { .init(zone: ["Asia/Seoul", "Europe/London"][$0 - 1]) }
        var request = request(world, "2026-03-03T09:00")
        request.validFor = 3_600
        let campaign = try await world.campaigns.create(app: world.app, request)
        // No Device is there until Seoul's hour is over.
        let late = try #require(Timestamp("2026-03-03T10:00:00+09:00"))
        let now: Timestamp = world.time.now()
        world.time.advance(by: now.duration(to: late))

        try await world.finish(campaign.id)

        let deliveries = try await world.deliveries(campaign.id)
        #expect((deliveries[1]?.outcome, deliveries[1]?.reason) == (.expired, "Expired"))
        #expect((deliveries[2]?.outcome, deliveries[2]?.at) == (.accepted, Timestamp("2026-03-03T09:00:00Z")))
        let options = try #require(world.sender.sent.first).options
        #expect(options.expiration == .at(try #require(Timestamp("2026-03-03T10:00:00Z"))))
    }

    @Test("Failed attempts are retried for as long in the last zone as in the first")
    func retriesEquallyInAllZones() async throws {
        let world = try await DeliveryWorld()
        let zones = ["Asia/Seoul", "America/Los_Angeles"]
        try await world.addDevices(2) { .init(zone: zones[$0 - 1]) }
        world.sender.answer { _ in .retryLater(FailureReason(rawValue: "TooManyRequests"), after: nil) }
        var request = request(world, "2026-03-03T09:00")
        request.retryFor = 3_600
        let campaign = try await world.campaigns.create(app: world.app, request)

        try await world.finish(campaign.id)

        // An hour after each Device's own time, independent of the other.
        let times = try await world.deliveries(campaign.id)
        #expect(times.values.allSatisfy { $0.outcome == .expired && $0.reason == "TooManyRequests" })
        #expect(times[1]?.at == Timestamp("2026-03-03T10:00:00+09:00"))
        #expect(times[2]?.at == Timestamp("2026-03-03T10:00:00-08:00"))
        #expect(world.sender.counts.values.allSatisfy { $0 == 15 })
    }

    @Test("A Campaign in local time is paced and continues after a pause") func pacesLocalTime() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(40) { .init(zone: $0 % 2 == 0 ? "Asia/Seoul" : "Asia/Tokyo") }
        var request = request(world, "2026-03-03T09:00")
        request.pace = .perMinute(60)
        let campaign = try await world.campaigns.create(app: world.app, request)
        let due = try #require(Timestamp("2026-03-03T09:00:00+09:00"))

        try await world.dispatching(world.dispatcher()) {
            while try await world.funnel(campaign.id).accepted < 10 {
                try await world.advanceToNextWork(of: campaign.id)
            }
            _ = try await world.campaigns.pause(campaign.id, within: nil)
            world.time.advance(by: .seconds(600))
            _ = try await world.campaigns.resume(campaign.id, within: nil)
            // A Chunk that was being leased when time jumped is leased again only after a lease time.
            try await world.withTimeRunning { _ = try await world.wait(for: .sent, of: campaign.id) }
        }

        #expect(world.sender.counts.count == 40 && world.sender.counts.values.allSatisfy { $0 == 1 })
        let times = try await world.deliveries(campaign.id).values.map(\.at).sorted()
        #expect(times.first == due)
        #expect(due.duration(to: try #require(times.last)) >= .seconds(600 + 38))
    }
}
