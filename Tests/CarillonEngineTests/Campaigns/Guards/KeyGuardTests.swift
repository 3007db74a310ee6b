import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KeyGuardTests {
    private static func key(
        _ world: GuardWorld,
        perCampaign: Int? = nil,
        perHour: Int? = nil
    ) async throws -> CampaignCaller {
        var request = APIKeyRequest(name: "Back end", scopes: [.send])
        (request.recipientsPerCampaign, request.recipientsPerHour) = (.some(perCampaign), .some(perHour))
        let now = world.world.time.now() as Timestamp
        let key = APIKey(id: world.world.ids.next(), app: world.app, request: request, createdAt: now)
        let stored = StoredAPIKey(key: key, secretHash: SecretHash(of: "\(key.id)"))
        _ = try await world.world.stores.apiKeys.insert(stored, for: nil)
        var caller = CampaignCaller(.key(key.id))
        (caller.recipientsPerCampaign, caller.recipientsPerHour) = (perCampaign, perHour)
        return caller
    }

    @Test("K-58 A Campaign above the key's cap is refused with cap and reach, and nothing is sent")
    func campaignCap() async throws {
        let world = try await GuardWorld(reach: 101)
        let key = try await Self.key(world, perCampaign: 100)
        let refusal = RecipientsRefusal(period: .campaign, cap: 100, reach: 101)
        var draft = world.world.request()
        draft.draft = true
        let kept = try await world.campaigns.create(app: world.app, draft, by: key)

        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await world.campaigns.create(app: world.app, world.world.request(), by: key)
        }
        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await world.campaigns.send(kept.id, within: world.app, by: key)
        }
        #expect(refusal.sentence == "It reaches 101 Devices, and a campaign of the key may reach 100.")
        #expect(try await world.state(kept) == .draft)
        #expect(try await world.sentBesidesAnother() == 0)

        world.reach.set(100)
        var later = world.world.request()
        later.sendAt = world.world.time.now().advanced(by: .seconds(3_600))
        let campaign = try await world.campaigns.create(app: world.app, later, by: key)
        #expect(campaign.state == .scheduled)
        world.reach.set(101)
        var update = CampaignUpdate()
        update.audience = .all
        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await world.campaigns.change(campaign.id, within: world.app, update, by: key)
        }
    }

    @Test("K-58 The Campaigns of an hour reach no more than the key's cap together")
    func hourCap() async throws {
        let world = try await GuardWorld(reach: 60)
        let (key, other) = (try await Self.key(world, perHour: 100), try await Self.key(world, perHour: 100))
        _ = try await world.campaigns.create(app: world.app, world.world.request(), by: key)

        let refusal = RecipientsRefusal(period: .hour, cap: 100, reach: 60, used: 60)
        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await world.campaigns.create(app: world.app, world.world.request(), by: key)
        }
        _ = try await world.campaigns.create(app: world.app, world.world.request(), by: other)
        world.reach.set(40)
        _ = try await world.campaigns.create(app: world.app, world.world.request(), by: key)
        world.world.time.advance(by: .seconds(3_601))
        world.reach.set(100)
        _ = try await world.campaigns.create(app: world.app, world.world.request(), by: key)
    }

    /// Counts Users as Devices, and 90 for all.
    private struct AudienceReach: CampaignReach {
        func reach(of campaign: Campaign) async throws(EngineError) -> Int {
            if case .users(let users) = campaign.audience { return users.count }
            return 90
        }

        func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures { ReachFigures() }
    }

    private static func campaigns(_ world: GuardWorld, _ reach: any CampaignReach) -> Campaigns {
        Campaigns(
            store: world.world.stores.campaigns,
            sender: world.world.sender,
            ids: world.world.ids,
            clock: world.world.time,
            signals: world.world.signals,
            timer: world.world.time,
            reach: reach
        )
    }

    @Test("K-58 Any change of a planned Campaign is checked again, and what it adds counts for the hour")
    func changes() async throws {
        let world = try await GuardWorld(reach: 1)
        let campaigns = Self.campaigns(world, AudienceReach())
        let key = try await Self.key(world, perCampaign: 95, perHour: 100)
        var request = world.world.request()
        request.audience = .users((1...20).compactMap { UserID(rawValue: "u\($0)") })
        request.sendAt = world.world.time.now().advanced(by: .seconds(3_600))
        let campaign = try await campaigns.create(app: world.app, request, by: key)
        let other = try await campaigns.create(app: world.app, request, by: key)
        var update = CampaignUpdate()
        update.audience = .all

        let refusal = RecipientsRefusal(period: .hour, cap: 100, reach: 70, used: 40)
        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await campaigns.change(campaign.id, within: world.app, update, by: key)
        }
        var smaller = key
        smaller.recipientsPerCampaign = 19
        var later = CampaignUpdate()
        later.sendAt = world.world.time.now().advanced(by: .seconds(7_200))
        let tooMany = RecipientsRefusal(period: .campaign, cap: 19, reach: 20)
        await #expect(throws: EngineError.refused(.tooManyRecipients(tooMany))) {
            try await campaigns.change(other.id, within: world.app, later, by: smaller)
        }
    }

    @Test("K-58 A test of a key is a recipient of its hour")
    func tests() async throws {
        let world = try await GuardWorld(reach: 1)
        let key = try await Self.key(world, perHour: 1)
        let request = TestSendRequest(device: DeliveryWorld.id(1), message: DeliveryWorld.message())
        _ = try await world.campaigns.test(app: world.app, request, by: key)

        let refusal = RecipientsRefusal(period: .hour, cap: 1, reach: 1, used: 1)
        await #expect(throws: EngineError.refused(.tooManyRecipients(refusal))) {
            try await world.campaigns.test(app: world.app, request, by: key)
        }
    }

    @Test("K-54 Of what an Operator confirmed and has begun, a key can only slow the pace")
    func begun() async throws {
        let world = try await GuardWorld(reach: 3)
        let draft = try await world.draft { $0.pace = .some(.perMinute(100)) }
        guard case .sent(let campaign) = try await world.confirm(draft) else {
            Issue.record("It is not sent.")
            return
        }
        #expect(campaign.occurrence != nil)
        let key = CampaignCaller(.key(APIKeyID(rawValue: 9)))
        func refuses(_ change: (inout CampaignUpdate) -> Void) async {
            var update = CampaignUpdate()
            change(&update)
            await #expect(throws: EngineError.self) {
                try await world.campaigns.change(campaign.id, within: world.app, update, by: key)
            }
        }
        await refuses { $0.isTransactional = true }
        await refuses { $0.nightPolicy = .skip }
        await refuses { $0.pace = .some(.perMinute(101)) }
        await refuses { $0.pace = .some(nil) }
        var slower = CampaignUpdate()
        slower.pace = .some(.perMinute(50))
        let after = try await world.campaigns.change(campaign.id, within: world.app, slower, by: key)
        #expect(after.pace == .perMinute(50))
    }

    @Test("Campaigns of keys wait for approval where the App's guards say so")
    func approval() async throws {
        let world = try await GuardWorld(reach: 10_001)
        let key = try await Self.key(world)
        #expect(try await world.campaigns.create(app: world.app, world.world.request(), by: key).state == .sending)
        try await world.setGuards { $0.appliesToKeys = true }

        let waiting = try await world.campaigns.create(app: world.app, world.world.request(), by: key)
        #expect((waiting.state, waiting.approval?.requestedBy) == (.needsApproval, key.author))
        var draft = world.world.request()
        draft.draft = true
        let kept = try await world.campaigns.create(app: world.app, draft, by: key)
        #expect(try await world.campaigns.send(kept.id, within: world.app, by: key).state == .needsApproval)

        let vendor = CampaignCaller(.vendorAPI(.toast))
        let other = try await world.campaigns.create(app: world.app, world.world.request(), by: vendor)
        #expect((other.state, other.createdBy) == (.needsApproval, .vendorAPI(.toast)))

        guard case .held = try await world.approve(waiting) else {
            Issue.record("It is not held.")
            return
        }
        world.reach.set(10_000)
        #expect(try await world.campaigns.create(app: world.app, world.world.request(), by: key).state == .sending)
    }

    @Test("A new key of an App has the usual caps, one of the server has none")
    func usual() {
        let request = APIKeyRequest(name: "Back end", scopes: [.send])
        let (id, app, now) = (APIKeyID(rawValue: 1), AppID(rawValue: 2), Timestamp(rawValue: 3))

        let own = APIKey(id: id, app: app, request: request, createdAt: now)
        #expect((own.recipientsPerCampaign, own.recipientsPerHour) == (10_000, 50_000))
        let server = APIKey(id: id, app: nil, request: request, createdAt: now)
        #expect((server.recipientsPerCampaign, server.recipientsPerHour) == (nil, nil))
    }
}
