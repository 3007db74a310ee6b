import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CampaignHoldTests {
    @Test("A small Campaign is sent at once")
    func small() async throws {
        let world = try await GuardWorld(reach: 1_000)
        let draft = try await world.draft()

        guard case .sent(let sent) = try await world.confirm(draft, { ($0.typed, $0.isFresh) = (nil, false) }) else {
            Issue.record("It is not sent.")
            return
        }

        #expect((sent.state, sent.heldUntil, sent.version) == (.sending, nil, draft.version))
        #expect(try await world.sent(draft) == 3)
    }

    @Test("K-47 Above confirmAbove nothing is sent without the right number", arguments: [nil, "", "1999", "2000 x"])
    func wrongNumber(_ typed: String?) async throws {
        let world = try await GuardWorld(reach: 2_000)
        let draft = try await world.draft()

        let error = EngineError.invalid(FieldError(field: "typed", problem: "must be the number of Devices: 2000"))
        await #expect(throws: error) { try await world.confirm(draft) { $0.typed = typed } }

        #expect(try await world.state(draft) == .draft)
        #expect(try await world.sentBesidesAnother() == 0)
    }

    @Test("K-48 Above approveAbove nothing is sent without fresh authentication")
    func stale() async throws {
        let world = try await GuardWorld(reach: 10_001)
        let draft = try await world.draft()

        await #expect(throws: EngineError.operators(.freshAuthenticationRequired)) {
            try await world.confirm(draft) { $0.isFresh = false }
        }

        #expect(try await world.state(draft) == .draft)
        #expect(try await world.sentBesidesAnother() == 0)
    }

    @Test("K-49 Another number of Devices than was shown sends nothing", arguments: [2_201, 1_799, 1_000, 10_001])
    func recount(_ now: Int) async throws {
        let world = try await GuardWorld(reach: 2_000)
        let draft = try await world.draft()
        world.reach.set(now)

        let result = try await world.confirm(draft) { ($0.reach, $0.typed) = (2_000, "2000") }

        guard case .recount(let reach, let step) = result else {
            Issue.record("\(result)")
            return
        }
        #expect((reach, step.guards) == (now, SendGuards()))
        #expect(try await world.state(draft) == .draft)
        #expect(try await world.sentBesidesAnother() == 0)
        // The same form with the new number is another confirmation.
        #expect(try await world.confirm(draft) != result)
    }

    @Test("Nobody can be reached: nothing is sent")
    func nobody() async throws {
        let world = try await GuardWorld(reach: 0)
        let draft = try await world.draft()

        await #expect(throws: EngineError.self) { try await world.confirm(draft) }
        #expect(try await world.state(draft) == .draft)
    }

    @Test("K-50 During the hold nothing is sent, and undo makes it a draft of which nothing was sent")
    func undo() async throws {
        let world = try await GuardWorld(reach: 2_000)
        let draft = try await world.draft()

        guard case .held(let held) = try await world.confirm(draft) else {
            Issue.record("It is not held.")
            return
        }
        #expect(held.heldUntil == world.world.time.now().advanced(by: .seconds(60)))
        #expect(held.nextAt == nil)
        world.world.time.advance(by: .milliseconds(59_999))
        #expect(try await world.sentBesidesAnother() == 0)
        #expect(try await world.state(draft) == .held)

        let undone = try await world.campaigns.undo(draft.id, within: world.app, by: .operator(GuardWorld.author))
        #expect((undone.state, undone.heldUntil, undone.occurrence) == (.draft, nil, nil))
        world.world.time.advance(by: .seconds(3_600))
        #expect(try await world.sentBesidesAnother() == 0)
        #expect(try await world.state(draft) == .draft)
        await #expect(throws: EngineError.self) {
            try await world.campaigns.undo(draft.id, within: world.app, by: .operator(GuardWorld.author))
        }
    }

    @Test("K-50 After the hold it is sent once")
    func afterHold() async throws {
        let world = try await GuardWorld(reach: 2_000)
        let draft = try await world.draft()
        _ = try await world.confirm(draft)

        world.world.time.advance(by: .seconds(60))
        #expect(try await world.sent(draft) == 3)
        #expect(try await world.sentBesidesAnother() == 0)
        let sent = try await world.campaigns.campaign(draft.id, within: world.app)
        #expect((sent.heldUntil, sent.startedAt) == (nil, world.world.time.now()))
        await #expect(throws: EngineError.self) {
            try await world.campaigns.undo(draft.id, within: world.app, by: .operator(GuardWorld.author))
        }
    }

    @Test("K-50 A Campaign for later can be undone first, and waits for its time then")
    func later() async throws {
        let world = try await GuardWorld(reach: 2_000)
        let time = world.world.time.now().advanced(by: .seconds(3_600)) as Timestamp
        let draft = try await world.draft { $0.sendAt = time }

        guard case .held(let held) = try await world.confirm(draft) else {
            Issue.record("It is not held.")
            return
        }
        #expect(held.heldUntil == world.world.time.now().advanced(by: .seconds(60)))
        world.world.time.advance(by: .seconds(60))
        try await world.dispatch(draft, until: .scheduled)
        #expect(try await world.campaigns.campaign(draft.id, within: world.app).nextAt == time)
        #expect(try await world.sentBesidesAnother() == 0)
        world.world.time.advance(by: .seconds(3_540))
        #expect(try await world.sent(draft) == 3)
    }

    @Test("A hold can be ended, unless it is of a very large Campaign")
    func sendNow() async throws {
        let world = try await GuardWorld(reach: 2_000, senders: [GuardWorld.author])
        let (draft, large) = (try await world.draft(), try await world.draft())
        _ = try await world.confirm(draft)
        let author = CampaignCaller(.operator(GuardWorld.author))
        let key = CampaignCaller(.key(APIKeyID(rawValue: 9)))
        // A key does not skip what an Operator may still take back.
        await #expect(throws: EngineError.self) {
            try await world.campaigns.sendNow(draft.id, within: world.app, by: key)
        }
        #expect(try await world.state(draft) == .held)

        #expect(try await world.campaigns.sendNow(draft.id, within: world.app, by: author).state == .scheduled)
        #expect(try await world.sent(draft) == 3)

        world.reach.set(20_000)
        _ = try await world.confirm(large)
        await #expect(throws: EngineError.self) {
            try await world.campaigns.sendNow(large.id, within: world.app, by: author)
        }
        #expect(try await world.state(large) == .held)
    }

    @Test("K-51 A restart during the hold still honours undo")
    func undoAfterRestart() async throws {
        try await Self.restarted { (world: GuardWorld, draft: Campaign) async throws -> Void in
            _ = try await world.campaigns.undo(draft.id, within: world.app, by: .operator(GuardWorld.author))
            world.world.time.advance(by: .seconds(120))
            #expect(try await world.sentBesidesAnother() == 0)
            #expect(try await world.state(draft) == .draft)
        }
    }

    @Test("K-51 After a restart during the hold it is sent once")
    func sendAfterRestart() async throws {
        try await Self.restarted { (world: GuardWorld, draft: Campaign) async throws -> Void in
            #expect(try await world.sentBesidesAnother() == 0)
            #expect(try await world.state(draft) == .held)
            world.world.time.advance(by: .seconds(60))
            #expect(try await world.sent(draft) == 3)
            #expect(try await world.sentBesidesAnother() == 0)
        }
    }

    @Test("K-52 The same form twice makes one send, also at once and after undo")
    func twice() async throws {
        let world = try await GuardWorld(reach: 2_000)
        let draft = try await world.draft()

        async let one = world.confirm(draft)
        async let other = world.confirm(draft)
        let results = try await [one, other]

        #expect(results.count { if case .held = $0 { true } else { false } } == 1)
        #expect(results.count { if case .repeated = $0 { true } else { false } } == 1)
        await #expect(throws: EngineError.self) { try await world.confirm(draft, key: "another") }
        _ = try await world.campaigns.undo(draft.id, within: world.app, by: .operator(GuardWorld.author))
        guard case .repeated(let same) = try await world.confirm(draft) else {
            Issue.record("It was confirmed again.")
            return
        }
        #expect(same.state == .draft)
        guard case .held = try await world.confirm(draft, key: "another") else {
            Issue.record("It is not held.")
            return
        }
        world.world.time.advance(by: .seconds(60))
        #expect(try await world.sent(draft) == 3)
        #expect(try await world.sentBesidesAnother() == 0)
    }

    @Test("With one possible approver nobody else is asked, and the hold doubles")
    func alone() async throws {
        let world = try await GuardWorld(reach: 20_000, senders: [GuardWorld.author])
        try await world.addOperator(GuardWorld.second, .editor)
        let draft = try await world.draft()

        guard case .held(let held) = try await world.confirm(draft) else {
            Issue.record("It is not held.")
            return
        }
        #expect(held.heldUntil == world.world.time.now().advanced(by: .seconds(120)))

        try await world.addOperator(OperatorID(rawValue: 3), .sender, in: world.app)
        let other = try await world.draft()
        guard case .waiting = try await world.confirm(other) else {
            Issue.record("It does not wait.")
            return
        }
    }

    private static func restarted(_ body: (GuardWorld, Campaign) async throws -> Void) async throws {
        try await TestPlace.with { place in
            let first = try await GuardWorld(reach: 2_000, place: place)
            let draft = try await first.draft()
            _ = try await first.confirm(draft)
            first.world.database.close()

            let again = try await DeliveryWorld(time: first.world.time, place: place, app: first.app)
            try await body(GuardWorld(again, reach: 2_000), draft)
            again.database.close()
        }
    }
}
