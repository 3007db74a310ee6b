import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PaceTests {
    @Test("Two nodes share the pace", arguments: [Pace.perMinute(120), .over(60)])
    func sharesThePace(_ pace: Pace) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(120)
        var request = world.request()
        request.pace = pace
        let campaign = try await world.campaigns.create(app: world.app, request)
        let start: Timestamp = world.time.now()

        try await world.finish(campaign.id, world.dispatcher(), world.dispatcher())

        let times = try await world.deliveries(campaign.id).values.map(\.at).sorted()
        #expect(times.count == 120 && world.sender.counts.values.allSatisfy { $0 == 1 })
        for (place, time) in times.enumerated() {
            let second = start.duration(to: time).components.seconds
            #expect(abs(Int(second) - place / 2) <= 2, "number \(place) at \(second)")
        }
    }

    @Test("A changed pace holds for the rest of a Campaign without a schedule, on nodes that send it already")
    func changesThePace() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(120)
        var request = world.request()
        request.pace = .perMinute(60)
        let campaign = try await world.campaigns.create(app: world.app, request)
        let start: Timestamp = world.time.now()

        try await world.dispatching(world.dispatcher()) {
            try await world.advance(campaign.id, untilAccepted: 30)
            var update = CampaignUpdate()
            update.pace = .perMinute(600)
            let changed = try await world.campaigns.change(campaign.id, within: world.app, update)
            #expect(changed.pace == .perMinute(600) && changed.state == .sending && changed.nextAt == nil)
            try await world.advance(campaign.id, untilAccepted: 90)
            update.pace = .some(nil)
            _ = try await world.campaigns.change(campaign.id, within: world.app, update)
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        let seconds = try await world.deliveries(campaign.id).values.map {
            start.duration(to: $0.at).components.seconds
        }
        .sorted()
        #expect(seconds.count == 120 && world.sender.counts.values.allSatisfy { $0 == 1 })
        // One a second, then ten a second, then all that is left.
        #expect((28...32).contains(seconds[29]) && (33...40).contains(seconds[89]), "\(seconds)")
        #expect(seconds[119] - seconds[95] <= 1, "\(seconds)")
        #expect(try await world.campaigns.campaign(campaign.id, within: world.app).state == .sent)
    }

    @Test("The time of a Campaign without a schedule that has begun cannot change, nor whether it has groups")
    func keepsItsTime() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(4)
        var request = world.request()
        request.pace = .perMinute(60)
        let plain = try await world.campaigns.create(app: world.app, request)
        request.pace = .groups(2, every: 600)
        let grouped = try await world.campaigns.create(app: world.app, request)
        var (later, groups, rate) = (CampaignUpdate(), CampaignUpdate(), CampaignUpdate())
        later.sendAt = world.time.now().advanced(by: .seconds(60))
        later.pace = .perMinute(1)
        groups.pace = .groups(3, every: 60)
        rate.pace = .perMinute(1)

        let time = EngineError.conflict("The campaign has begun: its time cannot change.")
        await #expect(throws: time) { try await world.campaigns.change(plain.id, within: world.app, later) }
        let division = EngineError.conflict("The campaign has begun: it cannot be divided into groups, nor otherwise.")
        for (campaign, update) in [(plain, groups), (grouped, groups), (grouped, rate)] {
            await #expect(throws: division) {
                try await world.campaigns.change(campaign.id, within: world.app, update)
            }
        }
    }
}
