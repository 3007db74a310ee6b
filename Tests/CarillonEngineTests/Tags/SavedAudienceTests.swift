import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

/// Saved Audiences that several people change, count and choose at a time.
@Suite struct SavedAudienceTests {
    private let author = CampaignAuthor.operator(GuardWorld.author)

    private struct Services: Sendable {
        let audiences: Audiences
        let campaigns: Campaigns
    }

    private func world() async throws -> (Services, AppID) {
        let guards = try await GuardWorld(reach: 1)
        let world = guards.world
        let audiences = Audiences(store: world.stores.audiences, apps: world.apps, ids: world.ids, clock: world.time)
        return (Services(audiences: audiences, campaigns: guards.campaigns), guards.app)
    }

    private func make(_ name: String, _ engine: Services, _ app: AppID) async throws -> SavedAudience {
        let rule = try AudienceRule(text: "language = en")
        return try await engine.audiences.create(app: app, AudienceRequest(name: name, rule: rule))
    }

    @Test("A draft has never an Audience that was deleted at the moment when it was chosen", arguments: 0..<6)
    func races(_ round: Int) async throws {
        let (engine, app) = try await world()
        let audience = try await make("A", engine, app)
        let draft = try await engine.campaigns.newDraft(app: app, name: "D", by: author)
        let update = { () -> CampaignUpdate in
            var update = CampaignUpdate()
            update.audience = .saved(audience.id)
            return update
        }()
        let author = author
        async let chosen: Bool = attempt {
            _ = try await engine.campaigns.saveDraft(draft.id, within: app, update, version: draft.version, by: author)
        }
        if round.isMultiple(of: 2) { await Task.yield() }
        async let deleted: Bool = attempt { try await engine.audiences.delete(audience.id, within: app) }
        _ = await (chosen, deleted)

        let after = try await engine.campaigns.campaign(draft.id, within: app).audience
        let left = try await engine.audiences.list(app: app, after: nil, limit: 10).items
        #expect((after == .saved(audience.id)) == !left.isEmpty)
    }

    @Test("A draft that chooses a deleted Audience is refused, and so is the change of an old version")
    func refuses() async throws {
        let (engine, app) = try await world()
        let (one, two) = (try await make("A", engine, app), try await make("B", engine, app))
        let update = AudienceUpdate(name: "A2", rule: nil)
        let first = try await engine.audiences.save(one.id, within: app, update, ifChangedAt: one.changedAt)
        guard case .saved(let newer) = first else { throw Unexpected() }
        #expect(newer.changedAt > one.changedAt)
        let second = try await engine.audiences.save(one.id, within: app, update, ifChangedAt: one.changedAt)
        #expect(second == .outdated(newer))

        try await engine.audiences.delete(two.id, within: app)
        let draft = try await engine.campaigns.newDraft(app: app, name: "D", by: author)
        var change = CampaignUpdate()
        change.audience = .saved(two.id)
        let wanted = change
        await #expect(throws: EngineError.self) {
            _ = try await engine.campaigns.saveDraft(draft.id, within: app, wanted, version: draft.version, by: author)
        }
    }

    @Test("A count is kept with its time until the rule changes")
    func counts() async throws {
        let (engine, app) = try await world()
        let audience = try await make("A", engine, app)
        #expect(audience.counted == nil)
        let counted = try await engine.audiences.count(audience.id, within: app)
        let estimate = try await engine.audiences.estimate(app: app, .saved(audience.id))
        #expect(counted.counted == estimate && counted.countedAt != nil)
        let renamed = try await engine.audiences.change(audience.id, within: app, AudienceUpdate(name: "B", rule: nil))
        #expect(renamed.counted == counted.counted && renamed.countedAt == counted.countedAt)
        let rule = try AudienceRule(text: "language = ja")
        let changed = try await engine.audiences.change(audience.id, within: app, AudienceUpdate(name: nil, rule: rule))
        #expect(changed.counted == nil && changed.countedAt == nil)
    }

    private struct Unexpected: Error {}

    /// Whether it was done.
    private func attempt(_ body: @Sendable () async throws -> Void) async -> Bool {
        do { try await body() } catch { return false }
        return true
    }
}
