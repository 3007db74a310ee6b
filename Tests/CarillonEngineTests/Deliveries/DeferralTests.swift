import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeferralTests {
    private static let ads: ConsentBits = [.notifications, .ads]
    private static let all: ConsentBits = [.notifications, .ads, .nightAds]
    /// 22:00 in Seoul, 13:00 in London.
    private static let evening = "2026-03-01T13:00:00Z"

    private func ad(_ world: DeliveryWorld) -> CampaignRequest {
        var request = world.request()
        request.isAd = true
        request.nightPolicy = .defer
        return request
    }

    @Test("A notification that waited for the morning is retried for as long as one sent at once")
    func retriesDeferredNotifications() async throws {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        try await world.addDevices(2) { .init(consent: Self.ads, zone: ["Asia/Seoul", "Europe/London"][$0 - 1]) }
        world.sender.answer { _ in .retryLater(FailureReason(rawValue: "TooManyRequests"), after: nil) }
        var request = ad(world)
        request.retryFor = 3_600
        let campaign = try await world.campaigns.create(app: world.app, request)

        try await world.finish(campaign.id)

        let ends = try await world.deliveries(campaign.id)
        #expect(ends.values.allSatisfy { $0.outcome == .expired })
        #expect(ends[1]?.at == Timestamp("2026-03-02T09:00:00+09:00"))
        #expect(ends[2]?.at == Timestamp("2026-03-01T14:00:00Z"))
    }

    @Test("T-74 an ad at night waits for 08:00, and consent is checked then")
    func waitsForTheMorning() async throws {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        let devices: [DeliveryWorld.Device] = [
            .init(consent: Self.ads), .init(consent: Self.all), .init(consent: Self.ads, zone: "Europe/London"),
            .init(consent: .notifications), .init(consent: Self.ads, zone: nil), .init(consent: Self.ads),
            .init(consent: Self.ads, zone: "Asia/Tokyo"),
        ]
        try await world.addDevices(7) { devices[$0 - 1] }
        let campaign = try await world.campaigns.create(app: world.app, ad(world))

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.targeted == 4 }
            #expect(try await world.funnel(campaign.id).skipped == ["NoAdConsent": 1, "UnknownTimeZone": 1])
            _ = try await world.database.write { [app = world.app] connection in
                try connection.run("UPDATE devices SET consent = 1 WHERE app_id = $1 AND number = 6", app)
            }
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        let deliveries = try await world.deliveries(campaign.id)
        let morning = Timestamp("2026-03-02T08:00:00+09:00")
        #expect(deliveries.count == 7 && deliveries[1]?.at == morning && deliveries[7]?.at == morning)
        #expect(deliveries[6]?.reason == "NoAdConsent" && deliveries[6]?.at == morning)
        #expect(deliveries[2]?.at == deliveries[3]?.at && deliveries[2]?.at == Timestamp(Self.evening))
        #expect(world.sender.counts.values.allSatisfy { $0 == 1 })
        // A notification sent in the morning expires at the next night.
        let late = try #require(world.sender.sent.last).options
        #expect(late.expiration == .at(try #require(Timestamp("2026-03-02T21:00:00+09:00"))))
    }

    @Test(
        "T-60 an ad at 22:00 and 07:59 is skipped without night consent, at 08:00 and 20:59 it is not",
        arguments: [("22:00", false), ("07:59", false), ("08:00", true), ("20:59", true), ("21:00", false)]
    )
    func edges(_ time: String, _ goesOut: Bool) async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T\(time):00+09:00"))
        try await world.addDevices(1) { _ in .init(consent: Self.ads) }
        var request = ad(world)
        request.nightPolicy = .skip
        let campaign = try await world.campaigns.create(app: world.app, request)

        try await world.finish(campaign.id)

        #expect(try await world.funnel(campaign.id).skipped == (goesOut ? [:] : ["NightAd": 1]))
    }

    @Test("T-58 T-59 notifications need consent to notifications, ads at noon consent to ads")
    func consents() async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T12:00:00+09:00"))
        try await world.addDevices(3) { .init(consent: [[], .notifications, Self.ads][$0 - 1]) }
        let plain = try await world.campaigns.create(app: world.app, world.request())
        try await world.finish(plain.id)
        var request = ad(world)
        request.adWording = AdWording(contact: "1588-1234", removeGuide: "Settings")
        let ad = try await world.campaigns.create(app: world.app, request)
        try await world.finish(ad.id)

        #expect(try await world.funnel(plain.id).skipped == ["NoConsent": 1])
        let funnel = try await world.funnel(ad.id)
        #expect(funnel.skipped == ["NoConsent": 1, "NoAdConsent": 1])
        #expect(funnel.accepted == 1)
    }

    @Test("Retries of an ad also wait for the morning") func defersRetries() async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T20:59:59+09:00"))
        try await world.addDevices(2) { _ in .init(consent: Self.ads) }
        world.sender.answer { $0.device.rawValue == 1 ? .retryLater(.noAnswer, after: .seconds(5)) : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, ad(world))
        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.retrying == 1 && $0.accepted == 1 }
            world.sender.answer { _ in .accepted }
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        #expect(try await world.deliveries(campaign.id)[1]?.at == Timestamp("2026-03-02T08:00:00+09:00"))
        #expect(try await world.funnel(campaign.id).accepted == 2)
    }

    @Test(
        "S1-operators-10 a Campaign whose rest waits for the morning is scheduled, with the count and time of the rest"
    )
    func showsWhatWaits() async throws {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        try await world.addDevices(5) { .init(consent: Self.ads, zone: $0 < 4 ? "Asia/Seoul" : "Europe/London") }
        let campaign = try await world.campaigns.create(app: world.app, ad(world))
        let morning = Timestamp("2026-03-02T08:00:00+09:00")

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(of: campaign.id) { $0.accepted == 2 }
            try await world.advanceToNextWorkIsAhead(of: campaign.id)
            let shown = try await world.campaigns.shown(campaign.id, within: nil)
            #expect((shown.state, shown.nextAt) == (.scheduled, morning))
            let listed = try await world.campaigns.list(app: world.app, after: nil, limit: 1).items[0]
            #expect((listed.state, listed.nextAt) == (.scheduled, morning))
            let occurrence = try await world.campaigns.occurrences(campaign.id, within: nil, cursor: nil, limit: 1)
                .items[0]
            #expect((occurrence.remaining, occurrence.nextAt) == (0, morning))
            #expect((occurrence.funnel.deferred, occurrence.funnel.targeted) == (3, 2))
            while try await world.advanceToNextWork(of: campaign.id) {}
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.deferred, funnel.accepted) == (0, 5))
        #expect(try await world.campaigns.shown(campaign.id, within: nil).state == .sent)
    }

    @Test("S1-operators-10 numbers without a Device are removed")
    func countsMatchesAndNoNumbers() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(2, from: 12_001)
        var request = world.request(.devices([DeliveryWorld.id(12_001), DeliveryWorld.id(12_002)]))
        request.draft = false
        for audience in [request.audience, .all] {
            request.audience = audience
            let campaign = try await world.campaigns.create(app: world.app, request)
            let occurrence = try await world.campaigns.occurrences(campaign.id, within: nil, cursor: nil, limit: 1)
                .items[0]
            #expect(occurrence.remaining == 2)
        }
    }

    @Test("Cancelling drops waiting notifications") func cancelsWaitingNotifications() async throws {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        try await world.addDevices(5) { _ in .init(consent: Self.ads) }
        let campaign = try await world.campaigns.create(app: world.app, ad(world))
        try await world.dispatching(world.dispatcher()) {
            await world.time.sleepers(1)
            try await world.advanceToNextWorkIsAhead(of: campaign.id)
            #expect(try await world.campaigns.cancel(campaign.id, within: nil).state == .cancelled)
        }
        #expect(world.sender.sent.isEmpty)
        #expect(try await world.rowCount(.waveCount) == 0)
    }

    @Test("Quiet hours are in each Device's zone", arguments: [DelayPolicy.skip, .defer])
    func appliesQuietHoursByZone(_ policy: DelayPolicy) async throws {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        let zones = ["Asia/Seoul", "Europe/London", nil]
        try await world.addDevices(3) { .init(zone: zones[$0 - 1]) }
        var rules = SendingRules()
        rules.quietHours = QuietHours(
            from: try #require(TimeOfDay("21:30")),
            until: try #require(TimeOfDay("09:15")),
            policy: policy,
            zone: "Asia/Tokyo"
        )
        try await world.set(rules)
        var urgent = world.request()
        urgent.isTransactional = true
        let exempt = try await world.campaigns.create(app: world.app, urgent)
        try await world.finish(exempt.id)
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.finish(campaign.id)

        let deliveries = try await world.deliveries(campaign.id)
        #expect(deliveries[2]?.outcome == .accepted && deliveries[2]?.at == Timestamp(Self.evening))
        if policy == .skip {
            #expect([deliveries[1]?.reason, deliveries[3]?.reason] == ["QuietHours", "QuietHours"])
        } else {
            let end = Timestamp("2026-03-02T09:15:00+09:00")
            #expect([deliveries[1]?.at, deliveries[3]?.at] == [end, end])
        }
        #expect(try await world.funnel(exempt.id).accepted == 3)
    }

    @Test("When quiet hours and night overlap, both end before sending") func combinesQuietHoursAndNight() async throws
    {
        let world = try await DeliveryWorld(time: TestTime(Self.evening))
        try await world.addDevices(1) { _ in .init(consent: Self.ads) }
        var rules = SendingRules()
        rules.quietHours = QuietHours(
            from: try #require(TimeOfDay("07:30")),
            until: try #require(TimeOfDay("10:00")),
            policy: .defer
        )
        try await world.set(rules)
        let campaign = try await world.campaigns.create(app: world.app, ad(world))

        try await world.finish(campaign.id)

        #expect(try await world.deliveries(campaign.id)[1]?.at == Timestamp("2026-03-02T10:00:00+09:00"))
    }
}

extension DeliveryWorld {
    func set(_ rules: SendingRules) async throws {
        var update = AppUpdate()
        update.sendingRules = rules
        _ = try await apps.update(app, update)
    }

    /// Moves the clocks from work to work until Apple has accepted so many of a Campaign's notifications.
    func advance(_ campaign: CampaignID, untilAccepted count: Int) async throws {
        while try await funnel(campaign).accepted < count { _ = try await advanceToNextWork(of: campaign) }
    }

    /// Waits until all remaining work is in the future, without moving the clocks.
    func advanceToNextWorkIsAhead(of campaign: CampaignID) async throws {
        let signal = signals.changes(of: campaign)
        while true {
            let count = signal.count
            let now: Timestamp = time.now()
            if let due = try await nextWhenQuiet(.nextWork), due > now { return }
            await signal.wait(after: count)
            try Task.checkCancellation()
        }
    }
}
