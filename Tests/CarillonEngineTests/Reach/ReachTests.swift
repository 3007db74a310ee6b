import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import TestStores
import Testing

/// Counting whom a Campaign would reach.
@Suite(.timeLimit(.minutes(5)))
struct ReachTests {
    /// An ad by night in Seoul: Devices of all kinds.
    private func addDevices(_ world: DeliveryWorld) async throws {
        try await world.addDevices(40) { number in
            var device = DeliveryWorld.Device(consent: [.notifications, .ads], user: "u\(number / 2)")
            device.zone = number.isMultiple(of: 2) ? "Asia/Seoul" : "Europe/London"
            device.language = number.isMultiple(of: 4) ? "ko-KR" : "ja"
            switch number {
            case 1...3: device.tokenState = .dropped
            case 4...6: device.consent = []
            case 7...9: device.consent = [.notifications]
            case 10: device.zone = nil
            case 11...14: device.consent = [.notifications, .ads, .nightAds]
            default: break
            }
            return device
        }
    }

    private func send(
        _ world: DeliveryWorld,
        _ change: (inout CampaignRequest) -> Void
    ) async throws -> (estimate: ReachEstimate, funnel: Funnel) {
        var request = world.request()
        change(&request)
        request.draft = true
        let draft = try await world.campaigns.create(app: world.app, request)
        let estimate = try await world.campaigns.estimate(of: draft, isExact: true)
        _ = try await world.campaigns.send(draft.id, within: world.app)
        try await world.finish(draft.id)
        return (estimate, try await world.funnel(draft.id))
    }

    @Test("K-29 The rows add up to the reach, which is the number attempted", arguments: [false, true])
    func equalsSending(_ isAd: Bool) async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T23:00:00+09:00"))
        try await addDevices(world)
        var rules = SendingRules()
        rules.frequencyCaps = [FrequencyCap(limit: 1, period: 86_400)]
        try await world.set(rules)
        _ = try await send(world) { $0.audience = .devices([DeliveryWorld.id(20), DeliveryWorld.id(22)]) }

        let (estimate, funnel) = try await send(world) { request in
            request.isAd = isAd
            if isAd { request.adWording = nil }
        }

        #expect(estimate.matched == 40)
        #expect(estimate.reach == estimate.matched - estimate.skipped.reduce(0) { $0 + $1.devices })
        #expect(estimate.reach == funnel.accepted)
        #expect(estimate.reach == world.sender.sent.count - 2)
        #expect(estimate.skipped("NoToken") == 3)
        #expect(estimate.skipped("NoConsent") == 3)
        #expect(estimate.skipped("NoAdConsent") == (isAd ? 3 : 0))
        #expect(estimate.skipped("UnknownTimeZone") == (isAd ? 1 : 0))
        #expect(isAd == (estimate.skipped("NightAd") > 0))
        for (reason, count) in funnel.skipped { #expect(estimate.skipped(reason) == count, "\(reason)") }
        #expect(estimate.languages.values.reduce(0, +) == estimate.reach)
        #expect(estimate.zones.values.reduce(0, +) == estimate.reach)
        #expect(estimate.isExact)
        #expect(estimate.users <= 21 && estimate.users > 0)
    }

    @Test("K-29 What is deferred stands apart and is part of the reach")
    func defers() async throws {
        let world = try await DeliveryWorld(time: TestTime("2026-03-01T23:00:00+09:00"))
        try await world.addDevices(6) {
            .init(consent: [.notifications, .ads], zone: $0 < 3 ? "Asia/Seoul" : "Europe/London")
        }
        var request = world.request()
        (request.isAd, request.nightPolicy, request.draft) = (true, .defer, true)
        let draft = try await world.campaigns.create(app: world.app, request)

        let estimate = try await world.campaigns.estimate(of: draft, isExact: true)

        #expect(estimate.reach == 6)
        #expect(estimate.deferred == [ReachEstimate.Part(reason: "NightAd", devices: 2)])
        #expect(estimate.skipped.isEmpty)
        #expect(estimate.zones == ["Asia/Seoul": 2, "Europe/London": 4])
    }

    @Test("Rules, lists and a draft without a message are counted; a sample says why each matches")
    func audiences() async throws {
        let world = try await DeliveryWorld()
        try await addDevices(world)
        var draft = try await world.campaigns.newDraft(
            app: world.app,
            name: nil,
            by: .operator(OperatorID(rawValue: 1))
        )
        #expect(try await world.campaigns.estimate(of: draft, isExact: true) == ReachEstimate())

        draft.audience = .rule(try AudienceRule(text: "language = ko and timeZone = \"Asia/Seoul\""))
        let counted = try await world.campaigns.counted(draft, isExact: false)
        #expect(counted.estimate.matched == 10)
        #expect(counted.estimate.reach == 9)
        let sample = try await world.campaigns.sample(of: counted, draft)
        #expect(!sample.isEmpty && sample.count <= 20)
        #expect(sample.allSatisfy { $0.matches.count == 2 && $0.language == "ko-KR" })

        draft.audience = .users(["u10", "u11"].compactMap { UserID(rawValue: $0) })
        #expect(try await world.campaigns.estimate(of: draft, isExact: true).reach == 4)
    }

    @Test("A long count that need not be exact is of a part, and says so")
    func samples() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(21_000)
        var draft = try await world.campaigns.newDraft(
            app: world.app,
            name: nil,
            by: .operator(OperatorID(rawValue: 1))
        )
        draft.audience = .all
        let exact = try await world.campaigns.estimate(of: draft, isExact: true)
        #expect(exact.isExact && exact.reach == 21_000)
        let quick = try await world.campaigns.estimate(of: draft, isExact: false)
        #expect(abs(quick.reach - 21_000) <= 500)
    }
}
