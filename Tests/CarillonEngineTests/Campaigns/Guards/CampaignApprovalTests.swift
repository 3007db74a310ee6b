import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CampaignApprovalTests {
    private static let third = OperatorID(rawValue: 3)

    @Test("A large Campaign waits for a second person, and is held and sent after that")
    func approval() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let draft = try await world.draft()

        let waiting = try await world.ask(draft)

        let now = world.world.time.now() as Timestamp
        #expect((waiting.state, waiting.approval?.reach) == (.needsApproval, 20_000))
        #expect(waiting.approval?.outcome == .waiting)
        #expect(waiting.approval?.expiresAt == now.advanced(by: .seconds(72 * 3_600)))
        #expect(try await world.sentBesidesAnother() == 0)
        #expect(try await world.campaigns.waiting(app: world.app, after: nil, limit: 10).items.map(\.id) == [draft.id])
        #expect(try await world.campaigns.waiting(app: nil, after: nil, limit: 10).items.map(\.id) == [draft.id])
        #expect(try await world.campaigns.mayApprove(waiting, GuardWorld.second))

        guard case .held(let held) = try await world.approve(waiting) else {
            Issue.record("It is not held.")
            return
        }
        #expect((held.approval?.outcome, held.approval?.decidedBy) == (.approved, .operator(GuardWorld.second)))
        #expect(try await world.campaigns.waiting(app: world.app, after: nil, limit: 10).items == [])
        #expect(try await world.sentBesidesAnother() == 0)
        world.world.time.advance(by: .seconds(60))
        #expect(try await world.sent(draft) == 3)
    }

    @Test("K-53 Nobody approves what they wrote a part of, or asked for")
    func own() async throws {
        let world = try await GuardWorld(reach: 20_000, senders: [GuardWorld.author, GuardWorld.second, Self.third])
        let draft = try await world.rename(try await world.draft(), by: GuardWorld.second)
        let waiting = try await world.ask(draft, by: Self.third)

        for person in [GuardWorld.author, GuardWorld.second, Self.third] {
            #expect(try await !world.campaigns.mayApprove(waiting, person))
            await #expect(throws: EngineError.refused(.ownApproval)) { try await world.approve(waiting, by: person) }
        }

        #expect(try await world.state(draft) == .needsApproval)
        #expect(try await world.sentBesidesAnother() == 0)
    }

    @Test("K-53 The API sends nothing that waits, and approves nothing that its key wrote")
    func overAPI() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())

        for caller in [nil, CampaignCaller(.key(APIKeyID(rawValue: 9)))] {
            await #expect(throws: EngineError.self) {
                try await world.campaigns.send(waiting.id, within: world.app, by: caller)
            }
            await #expect(throws: EngineError.self) { try await world.campaigns.resume(waiting.id, within: world.app) }
        }
        #expect(try await world.state(waiting) == .needsApproval)
    }

    @Test("K-54 An edit while it waits, while it is held and when it is scheduled makes it a draft again")
    func edits() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let time = world.world.time.now().advanced(by: .seconds(7_200)) as Timestamp
        var draft = try await world.draft { $0.sendAt = time }
        draft = try await world.rename(try await world.ask(draft, key: "1"))
        #expect((draft.state, draft.approval?.outcome) == (.draft, .voided))

        let waiting = try await world.ask(draft, key: "2")
        await #expect(throws: EngineError.self) {
            try await world.campaigns.approve(
                waiting.id,
                within: world.app,
                version: waiting.version - 1,
                reach: 20_000,
                by: GuardWorld.second
            )
        }
        guard case .held(let held) = try await world.approve(waiting) else {
            Issue.record("It is not held.")
            return
        }
        draft = try await world.rename(held)
        #expect((draft.state, draft.approval?.outcome, draft.heldUntil) == (.draft, .voided, nil))

        _ = try await world.approve(try await world.ask(draft, key: "3"))
        world.world.time.advance(by: .seconds(60))
        try await world.dispatch(draft, until: .scheduled)
        draft = try await world.rename(try await world.campaigns.campaign(draft.id, within: world.app))
        #expect((draft.state, draft.nextAt, draft.approval?.outcome) == (.draft, nil, .voided))

        world.world.time.advance(by: .seconds(7_200))
        #expect(try await world.sentBesidesAnother() == 0)
    }

    @Test("K-54 An API key's edit voids an approval too, and so does one of a paused Campaign")
    func editsByKey() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let time = world.world.time.now().advanced(by: .seconds(7_200)) as Timestamp
        let draft = try await world.draft { $0.sendAt = time }
        _ = try await world.approve(try await world.ask(draft))
        world.world.time.advance(by: .seconds(60))
        try await world.dispatch(draft, until: .scheduled)
        _ = try await world.campaigns.pause(draft.id, within: world.app)
        var update = CampaignUpdate()
        update.message = DeliveryWorld.message("something else")

        let key = CampaignCaller(.key(APIKeyID(rawValue: 9)))
        let changed = try await world.campaigns.change(draft.id, within: world.app, update, by: key)

        #expect((changed.state, changed.approval?.outcome) == (.draft, .voided))
        #expect(changed.updatedBy == key.author)
        await #expect(throws: EngineError.self) { try await world.campaigns.resume(draft.id, within: world.app) }
    }

    @Test("A Campaign that a key scheduled is changed by the key as before, and an Operator's edit makes it a draft")
    func unguarded() async throws {
        let world = try await GuardWorld(reach: 20_000)
        var request = world.world.request()
        request.sendAt = world.world.time.now().advanced(by: .seconds(7_200))
        let key = CampaignCaller(.key(APIKeyID(rawValue: 9)))
        let campaign = try await world.campaigns.create(app: world.app, request, by: key)
        #expect((campaign.state, campaign.createdBy) == (.scheduled, key.author))
        var update = CampaignUpdate()
        update.message = DeliveryWorld.message("something else")

        let changed = try await world.campaigns.change(campaign.id, within: world.app, update, by: key)
        #expect((changed.state, changed.version) == (.scheduled, 2))
        #expect(try await world.rename(changed).state == .draft)
    }

    @Test("K-55 A request that nobody decides by the planned time expires, and sends nothing")
    func expiry() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let time = world.world.time.now().advanced(by: .seconds(3_600)) as Timestamp
        let waiting = try await world.ask(try await world.draft { $0.sendAt = time })
        #expect(waiting.approval?.expiresAt == time)

        world.world.time.advance(by: .seconds(3_600))
        // At a look, before anything wrote it.
        let seen = try await world.campaigns.campaign(waiting.id, within: world.app)
        #expect((seen.state, seen.approval?.outcome) == (.expired, .expired))
        await #expect(throws: EngineError.self) { try await world.approve(waiting) }
        let stored = try await world.stored(waiting, in: .expired)
        #expect((stored.state, stored.approval?.outcome) == (.expired, .expired))
        world.world.time.advance(by: .seconds(3_600))
        #expect(try await world.sentBesidesAnother() == 0)
        // It can be asked for again.
        _ = try await world.ask(seen, key: "again")
    }

    @Test("K-56 A refusal needs a reason, which stays on the Campaign and on the draft")
    func refusal() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())
        let second = CampaignAuthor.operator(GuardWorld.second)
        for reason in ["", "  ", String(repeating: "x", count: 501)] {
            await #expect(throws: EngineError.self) {
                try await world.campaigns.refuse(waiting.id, within: world.app, reason: reason, by: second)
            }
        }

        let refused = try await world.campaigns.refuse(
            waiting.id,
            within: world.app,
            reason: "The link is wrong.",
            by: second
        )
        #expect((refused.state, refused.approval?.outcome, refused.approval?.decidedBy) == (.refused, .refused, second))
        await #expect(throws: EngineError.self) { try await world.ask(refused, key: "again") }
        let draft = try await world.rename(refused)
        #expect((draft.state, draft.approval?.reason) == (.draft, "The link is wrong."))
        _ = try await world.ask(draft, key: "again")
    }

    @Test("A request can be withdrawn, and another count stops an approval")
    func withdrawal() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())

        world.reach.set(30_000)
        let result = try await world.campaigns.approve(
            waiting.id,
            within: world.app,
            version: waiting.version,
            reach: 20_000,
            by: GuardWorld.second
        )
        #expect(result == .recount(reach: 30_000))
        #expect(try await world.state(waiting) == .needsApproval)
        // The number that approval was asked for counts, not the one of a form alone.
        for accepted in [nil, Int.max, Int.min] {
            let again = try await world.campaigns.approve(
                waiting.id,
                within: world.app,
                version: waiting.version,
                reach: accepted,
                by: GuardWorld.second
            )
            #expect(again == .recount(reach: 30_000))
        }

        let author = CampaignAuthor.operator(GuardWorld.author)
        let draft = try await world.campaigns.withdraw(waiting.id, within: world.app, by: author)
        #expect((draft.state, draft.approval?.outcome) == (.draft, .withdrawn))
        await #expect(throws: EngineError.self) { try await world.approve(draft) }
    }

    @Test("Whoever accepts the new count approves a Campaign whose reach has changed")
    func drifted() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())
        world.reach.set(30_000)

        guard case .held(let held) = try await world.approve(waiting) else {
            Issue.record("It is not held.")
            return
        }
        #expect((held.approval?.outcome, held.approval?.reach) == (.approved, 30_000))
    }

    @Test("What waits, is held, was refused or expired can be cancelled or is a draft: nothing of it is sent")
    func cancellation() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())
        #expect(try await world.campaigns.cancel(waiting.id, within: world.app).state == .cancelled)

        world.reach.set(2_000)
        let held = try await world.draft()
        _ = try await world.confirm(held)
        #expect(try await world.campaigns.cancel(held.id, within: world.app).state == .cancelled)
        world.world.time.advance(by: .seconds(73 * 3_600))
        #expect(try await world.sentBesidesAnother() == 0)
    }
}
