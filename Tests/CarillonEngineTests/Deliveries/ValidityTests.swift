import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ValidityTests {
    @Test("T-42 a notification delayed beyond its time to live expires")
    func validity() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        var request = world.request()
        request.sendAt = world.time.now().advanced(by: .seconds(60))
        request.validFor = 600
        let late = try await world.campaigns.create(app: world.app, request)
        world.time.advance(by: .seconds(660))
        try await world.finish(late.id)
        #expect(try await world.funnel(late.id).failed == ["Expired": 3])
        #expect(world.sender.sent.isEmpty)
        #expect(try await world.campaigns.failures(late.id, within: nil).map(\.outcome) == [.expired])

        request.sendAt = nil
        let start: Timestamp = world.time.now()
        world.sender.answer { _ in .retryLater(.noAnswer, after: nil) }
        let tried = try await world.campaigns.create(app: world.app, request)
        try await world.finish(tried.id)
        #expect(try await world.funnel(tried.id).failed.values.reduce(0, +) == 3)
        #expect(start.duration(to: world.time.now()) == .seconds(600))
        let expirations = Set(world.sender.sent.map(\.options.expiration))
        #expect(expirations == [.at(start.advanced(by: .seconds(600)))])
    }

    @Test("T-42 a changed time to live holds for what is unsent, on nodes that send it already")
    func changedValidity() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(120)
        var request = world.request()
        request.pace = .perMinute(60)
        request.validFor = 3_600
        let campaign = try await world.campaigns.create(app: world.app, request)
        let start: Timestamp = world.time.now()

        try await world.dispatching(world.dispatcher()) {
            try await world.advance(campaign.id, untilAccepted: 30)
            var update = CampaignUpdate()
            update.validFor = 60
            _ = try await world.campaigns.change(campaign.id, within: world.app, update)
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        let funnel = try await world.funnel(campaign.id)
        #expect(funnel.accepted + (funnel.failed["Expired"] ?? 0) == 120)
        #expect((58...62).contains(funnel.accepted), "\(funnel.accepted)")
        let last = world.sender.sent.map(\.options.expiration).last
        #expect(last == .at(start.advanced(by: .seconds(60))))
    }

    @Test("T-42 in TOAST Push's dialect a message lives 10 minutes by default, and an hour at most")
    func toastValidity() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2)
        _ = try await world.apps.update(world.app, AppUpdate(dialect: .toast))
        var request = world.request()
        let start: Timestamp = world.time.now()
        world.sender.answer { _ in .retryLater(.noAnswer, after: nil) }
        let tried = try await world.campaigns.create(app: world.app, request)
        #expect(tried.validFor == 600)
        try await world.finish(tried.id)
        #expect(start.duration(to: world.time.now()) == .seconds(600))
        let expirations = Set(world.sender.sent.map(\.options.expiration))
        #expect(expirations == [.at(start.advanced(by: .seconds(600)))])

        for validFor in [60, 3_600] {
            request.validFor = validFor
            #expect(try await world.campaigns.create(app: world.app, request).validFor == validFor)
        }
        request.validFor = 3_601
        let problem = FieldError(field: "validFor", problem: "must be at most 3600: the App's dialect is toast")
        await #expect(throws: EngineError.invalid(problem)) {
            try await world.campaigns.create(app: world.app, request)
        }
        _ = try await world.apps.update(world.app, AppUpdate(dialect: .carillon))
        #expect(try await world.campaigns.create(app: world.app, request).validFor == 3_601)
        request.validFor = nil
        #expect(try await world.campaigns.create(app: world.app, request).validFor == nil)
    }
}
