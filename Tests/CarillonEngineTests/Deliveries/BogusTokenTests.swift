import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Logging
import Testing

/// Anyone with the public App key can register invented tokens.
@Suite(.timeLimit(.minutes(5)))
struct BogusTokenTests {
    private static let bad = FailureReason(rawValue: "BadDeviceToken")

    /// A world whose first Devices registered tokens without an accepted notification.
    private func world(bogus: Int, good: Int, isKeyConfirmed: Bool = true) async throws -> DeliveryWorld {
        let world = try await DeliveryWorld()
        try await world.addPushKey(isConfirmed: isKeyConfirmed)
        try await world.addDevices(bogus) { _ in .init(isTokenUnconfirmed: true) }
        try await world.addDevices(good, from: bogus + 1)
        world.sender.answer { $0.device.rawValue <= bogus ? .quarantineDeviceToken(Self.bad) : .accepted }
        return world
    }

    private func send(_ world: DeliveryWorld, until state: Campaign.State) async throws -> Campaign {
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        return try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: state, of: campaign.id)
        }
    }

    @Test("S1-C1 tokens without an accepted notification do not pause a broadcast: they are quarantined")
    func pausesNothing() async throws {
        let world = try await world(bogus: 900, good: 100)
        // Some confirmed tokens are invalid as well, as usual.
        world.sender.answer { $0.device.rawValue <= 930 ? .quarantineDeviceToken(Self.bad) : .accepted }

        let campaign = try await send(world, until: .sent)

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.targeted, funnel.accepted, funnel.failed) == (1_000, 70, ["BadDeviceToken": 930]))
        #expect(try await world.tokenState(1) == .quarantined)
        let next = try await send(world, until: .sent)
        #expect(try await world.funnel(next.id).targeted == 70)
    }

    @Test("S1-C1 confirmed tokens still pause a broadcast, and unconfirmed ones are quarantined")
    func judgesKnownTokens() async throws {
        let world = try await world(bogus: 300, good: 700)
        world.sender.answer { $0.device.rawValue <= 800 ? .quarantineDeviceToken(Self.bad) : .accepted }

        let campaign = try await send(world, until: .paused)

        #expect(campaign.alarm == "BadDeviceToken")
        #expect(try await world.tokenState(1) == .quarantined)
        #expect(try await world.tokenState(301) == .active)
        #expect(try await world.funnel(campaign.id).failed == ["BadDeviceToken": 300])
    }

    @Test("O2-7 a Campaign that an alarm pauses is an error in the log, with App, Campaign and cause")
    func reportsHalts() async throws {
        let world = try await world(bogus: 0, good: 200)
        world.sender.answer { _ in .halt(FailureReason(rawValue: "InvalidProviderToken")) }

        let campaign = try await send(world, until: .paused)

        let reported = world.log.metadata(.error)
        #expect(reported.count == 1)
        #expect(reported.first?["carillon.alarm"] == "InvalidProviderToken")
        #expect(reported.first?["carillon.app"] == "\(world.app)")
        #expect(reported.first?["carillon.campaign"] == "\(campaign.id)")
        #expect(reported.first?["carillon.occurrence"] != nil)
    }

    @Test("S1-C1 a resumed Campaign does not pause for the same Chunk again")
    func goesOnWhenResumed() async throws {
        let world = try await world(bogus: 0, good: 1_000)
        world.sender.answer { $0.device.rawValue <= 600 ? .quarantineDeviceToken(Self.bad) : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, world.request())

        try await world.dispatching(world.dispatcher()) {
            try await world.wait(for: .paused, of: campaign.id)
            _ = try await world.campaigns.resume(campaign.id, within: world.app)
            try await world.wait(for: .sent, of: campaign.id)
        }

        let funnel = try await world.funnel(campaign.id)
        #expect((funnel.accepted, funnel.failed) == (400, ["BadDeviceToken": 600]))
        #expect(try await world.tokenState(1) == .quarantined)
    }

    @Test("An unconfirmed push key is suspected before new tokens are")
    func suspectsNewKeys() async throws {
        let world = try await world(bogus: 500, good: 0, isKeyConfirmed: false)

        let campaign = try await send(world, until: .paused)

        #expect(campaign.alarm == "BadDeviceToken")
        #expect(try await world.tokenState(1) == .active)
    }

    @Test("An accepted notification confirms token and push key; another token or key is unconfirmed")
    func confirms() async throws {
        let world = try await world(bogus: 2, good: 0, isKeyConfirmed: false)
        world.sender.answer { _ in .accepted }

        _ = try await send(world, until: .sent)

        #expect(try await world.rowCount("SELECT count(*) FROM devices WHERE token_unconfirmed = 1") == 0)
        #expect(try await world.rowCount("SELECT count(*) FROM push_keys WHERE confirmed_at IS NOT NULL") == 1)
        try await world.addPushKey(isConfirmed: false)
        #expect(try await world.rowCount("SELECT count(*) FROM push_keys WHERE confirmed_at IS NOT NULL") == 0)
    }
}
