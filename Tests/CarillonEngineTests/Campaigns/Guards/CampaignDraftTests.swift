import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CampaignDraftTests {
    @Test("A draft may have a name alone, and says what is missing")
    func incomplete() async throws {
        let world = try await GuardWorld(reach: 3)

        let draft = try await world.campaigns.newDraft(app: world.app, name: "Spring", by: .operator(GuardWorld.author))

        #expect((draft.state, draft.version, draft.name) == (.draft, 1, "Spring"))
        #expect(draft.undecided == CampaignPart.allCases)
        #expect(draft.createdBy == .operator(GuardWorld.author))
        #expect(try await world.campaigns.campaign(draft.id, within: world.app) == draft)
        let problems = try await world.campaigns.problems(ofDraft: draft.id, within: world.app)
        #expect(problems.map(\.field) == ["audience", "message", "isAd"])
        await #expect(throws: EngineError.invalidFields(problems)) { try await world.confirm(draft) }
        await #expect(throws: EngineError.invalidFields(problems)) {
            try await world.campaigns.send(draft.id, within: world.app)
        }
        #expect(try await world.state(draft) == .draft)
    }

    @Test("Each part that is saved is decided, and raises the version")
    func parts() async throws {
        let world = try await GuardWorld(reach: 3)
        var draft = try await world.campaigns.newDraft(app: world.app, name: nil, by: .operator(GuardWorld.author))
        var update = CampaignUpdate()
        update.audience = .all

        draft = try await world.save(draft, update)
        #expect((draft.version, draft.undecided, draft.audience) == (2, [.message, .kind], .all))

        update = CampaignUpdate()
        (update.message, update.retryFor) = (DeliveryWorld.message(), 60)
        draft = try await world.save(draft, update, by: GuardWorld.second)
        #expect((draft.version, draft.undecided, draft.retryFor) == (3, [.kind], 60))
        #expect(draft.updatedBy == .operator(GuardWorld.second))

        update = CampaignUpdate()
        update.isAd = false
        draft = try await world.save(draft, update)
        #expect((draft.version, draft.undecided) == (4, nil))
        #expect(try await world.campaigns.problems(of: draft) == [])
        let editors = try await world.campaigns.editors(of: draft.id, within: world.app)
        #expect(editors == [.operator(GuardWorld.author), .operator(GuardWorld.second)])
    }

    @Test("A draft may be too large to be sent, but not what nobody could read again")
    func unfit() async throws {
        let world = GuardWorld(try await DeliveryWorld(sender: FakeSender(limit: 100)), reach: 3)
        let draft = try await world.draft { update in
            update.message?.content[Message.defaultLanguage] = LocalizedContent(body: String(repeating: "x", count: 99))
        }

        let problems = try await world.campaigns.problems(of: draft)
        #expect(problems.map(\.field) == ["message.content.\(Message.defaultLanguage)"])

        var update = CampaignUpdate()
        update.message = Message(content: [:])
        await #expect(throws: EngineError.self) { try await world.save(draft, update) }
        #expect(try await world.campaigns.campaign(draft.id, within: world.app) == draft)
    }

    @Test("K-57 A change of an outdated version gives both versions and writes nothing")
    func outdated() async throws {
        let world = try await GuardWorld(reach: 3)
        let read = try await world.draft()
        let current = try await world.rename(read, by: GuardWorld.second)
        var update = CampaignUpdate()
        update.name = .some("Mine")

        let saving = try await world.campaigns.saveDraft(
            read.id,
            within: world.app,
            update,
            version: read.version,
            by: .operator(GuardWorld.author)
        )

        guard case .outdated(let conflict) = saving else {
            Issue.record("\(saving)")
            return
        }
        #expect(conflict.current == current)
        #expect((conflict.current.name, conflict.yours.name) == ("Renamed", "Mine"))
        #expect(try await world.campaigns.campaign(read.id, within: world.app) == current)
        update.version = read.version
        await #expect(throws: EngineError.self) {
            try await world.campaigns.change(read.id, within: world.app, update)
        }
        update.version = current.version
        #expect(try await world.campaigns.change(read.id, within: world.app, update).version == current.version + 1)
    }

    @Test("Refused and expired Campaigns are deleted like drafts; those that wait are not")
    func deletion() async throws {
        let world = try await GuardWorld(reach: 20_000)
        let waiting = try await world.ask(try await world.draft())
        await #expect(throws: EngineError.self) { try await world.campaigns.delete(waiting.id, within: world.app) }

        _ = try await world.campaigns.refuse(
            waiting.id,
            within: world.app,
            reason: "Wrong picture",
            by: .operator(GuardWorld.second)
        )
        try await world.campaigns.delete(waiting.id, within: world.app)
        await #expect(throws: EngineError.notFound(.campaign)) { try await world.state(waiting) }
    }

    @Test("A draft names its saved audience until it is sent")
    func savedAudience() async throws {
        let world = try await GuardWorld(reach: 3)
        let rule = try AudienceRule(text: "language = en")
        let audience = SavedAudience(
            id: AudienceID(rawValue: 7),
            app: world.app,
            name: "English",
            rule: rule,
            createdAt: world.world.time.now()
        )
        _ = try await world.world.stores.audiences.insert(audience, limit: 10)

        let draft = try await world.draft { $0.audience = .saved(audience.id) }
        #expect(draft.audience == .saved(audience.id))

        guard case .sent(let sent) = try await world.confirm(draft) else {
            Issue.record("It is not sent.")
            return
        }
        #expect(sent.audience == .rule(rule))
        #expect(try await world.sent(draft) == 3)
    }
}
