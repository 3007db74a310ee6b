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
            while try await world.funnel(campaign.id).accepted < 30 {
                _ = try await world.advanceToNextWork(of: campaign.id)
            }
            var update = CampaignUpdate()
            update.pace = .perMinute(600)
            let changed = try await world.campaigns.change(campaign.id, within: world.app, update)
            #expect(changed.pace == .perMinute(600) && changed.state == .sending && changed.nextAt == nil)
            while try await world.funnel(campaign.id).accepted < 90 {
                _ = try await world.advanceToNextWork(of: campaign.id)
            }
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

extension DeliveryWorld {
    func set(_ rules: SendingRules) async throws {
        var update = AppUpdate()
        update.sendingRules = rules
        _ = try await apps.update(app, update)
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
