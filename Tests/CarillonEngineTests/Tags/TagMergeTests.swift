import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

/// Merging tags, lists of Users, and what keeps a tag.
@Suite struct TagMergeTests {
    private struct World {
        let registry: Registry
        let app: AppID
        var tags: Tags { registry.tags }

        func tag(_ name: String) async throws -> TagID {
            try await tags.create(app: app, TagRequest(name: name), by: .vendorAPI(.toast)).id
        }

        func users(of tag: TagID) async throws -> [String] {
            try await tags.users(of: tag, app: app, after: nil, limit: 100).items.map(\.rawValue).sorted()
        }

        func change(_ change: TagListChange, _ tag: TagID, _ text: String) async throws -> TagListResult {
            var reading = try await tags.beginList(change, of: tag, app: app)
            for part in text.utf8.split(separator: 0x33, omittingEmptySubsequences: false).map(Array.init) {
                try await reading.read(part)
            }
            return try await reading.finish()
        }
    }

    private func world() async throws -> World {
        let registry = try await Registry()
        return World(registry: registry, app: try await registry.app().app.id)
    }

    private func user(_ name: String) throws -> UserID { try #require(UserID(rawValue: name)) }

    @Test("Merging gives each User the other tag, in parts, and the rows agree")
    func merges() async throws {
        let world = try await world()
        let (old, new, third) = (try await world.tag("old"), try await world.tag("new"), try await world.tag("third"))
        for name in ["a", "a", "b", "c"] { try await Person(registry: world.registry, app: world.app).register(name) }
        _ = try await world.tags.apply(.add([old]), to: [try user("a"), try user("p"), try user("q")], app: world.app)
        _ = try await world.tags.apply(.add([old, new, third]), to: [try user("b")], app: world.app)
        _ = try await world.tags.apply(.add([new]), to: [try user("q")], app: world.app)

        let part = try await world.tags.merge(app: world.app, old, into: new, limit: 1)
        #expect(part.isComplete == false)
        let kept = try await world.tags.tag(app: world.app, old)
        #expect(kept.name == "old" && kept.createdBy == .vendorAPI(.toast))
        let rest = try await world.tags.merge(app: world.app, old, into: new)

        #expect(rest.isComplete && part.users + rest.users == 4)
        let having = try await world.users(of: new)
        #expect(having == ["a", "b", "p", "q"])
        let tags = try await world.tags.tags(of: try user("b"), app: world.app)
        #expect(tags == [new, third])
        await #expect(throws: EngineError.notFound(.tag)) { try await world.tags.tag(app: world.app, old) }
        let rows = try await world.registry.stores.database.read { connection in
            try connection.all("SELECT count(*), count(DISTINCT tag) FROM device_tags", as: (Int, Int).self)
        }
        // Two Devices of a, one of b with two tags; nothing of the old tag is left.
        #expect(rows.map(\.0) == [4] && rows.map(\.1) == [2])
    }

    @Test("A tag that a rule names is neither deleted nor merged, and what names it is told")
    func keepsUsed() async throws {
        let world = try await GuardWorld(reach: 1)
        let (stores, app) = (world.world.stores, world.app)
        let tags = Tags(store: stores.tags, apps: world.world.apps, clock: world.world.time)
        let audiences = Audiences(
            store: stores.audiences,
            apps: world.world.apps,
            ids: world.world.ids,
            clock: world.world.time
        )
        let old = try await tags.create(app: app, TagRequest(name: "old")).id
        let new = try await tags.create(app: app, TagRequest(name: "new")).id
        let rule = try AudienceRule(text: "language = ja and not tag:\"old\"")
        let audience = try await audiences.create(app: app, AudienceRequest(name: "Readers", rule: rule))
        let named = try AudienceRule(text: "tag:\(old)")
        let campaign = try await world.draft { $0.audience = .rule(named) }

        let wanted = EngineError.conflict("Rules name the tag: \(audience.id) Readers, \(campaign.id).")
        await #expect(throws: wanted) { try await tags.delete(app: app, old) }
        await #expect(throws: wanted) { try await tags.merge(app: app, old, into: new) }
        try await audiences.delete(audience.id, within: app)
        let uses = try await tags.uses(app: app, old)
        #expect(uses.audiences.isEmpty && uses.campaigns == [campaign.id])
        try await tags.delete(app: app, old, evenIfUsed: true)
        let left = try await tags.list(app: app, after: nil, limit: 10).items
        #expect(left.map(\.id) == [new])
    }

    @Test("A list changes who is known, and tells the others by line")
    func lists() async throws {
        let world = try await world()
        let tag = try await world.tag("t")
        for name in ["u1", "u2"] { try await Person(registry: world.registry, app: world.app).register(name) }
        let long = String(repeating: "x", count: 300)
        let text = "\u{FEFF}u1\r\n\n  u2 \r\nu333\nu1\n\(long)\n"

        let result = try await world.change(.add, tag, text)

        #expect(result.lines == 5 && result.changed == 2 && result.unchanged == 1)
        #expect(result.problems.map(\.line) == [3, 5] && result.problems.map(\.reason) == [.unknown, .malformed])
        let having = try await world.users(of: tag)
        #expect(having == ["u1", "u2"])
        let counts = try await world.tags.userCounts(of: [tag], app: world.app, limit: 2)
        #expect(counts[tag] == TagUserCount(users: 2, isLeast: true))
        let removed = try await world.change(.remove, tag, "u1")
        #expect(removed == TagListResult(lines: 1, changed: 1))
        let lines = String(repeating: "\n", count: 200_000) + String(repeating: "v\n", count: 3)
        let empty = try await world.change(.remove, tag, lines)
        #expect(empty.lines == 3 && empty.problems.count == 3)
    }

    @Test("A list has at most 100,000 lines") func refusesLongLists() async throws {
        let world = try await world()
        let tag = try await world.tag("t")
        let text = String(repeating: "\u{1}\n", count: TagListReading.maximumLines + 1)
        await #expect(throws: EngineError.self) { try await world.change(.add, tag, text) }
    }

    @Test("Tags are found by a part of their names, page by page")
    func searches() async throws {
        let world = try await world()
        for name in ["Beta", "alpha", "gamma", "ALPS"] { _ = try await world.tag(name) }
        let first = try await world.tags.search(app: world.app, "AL", after: nil, limit: 1)
        #expect(first.items.map(\.name) == ["ALPS"])
        let second = try await world.tags.search(app: world.app, "AL", after: first.nextCursor, limit: 1)
        #expect(second.items.map(\.name) == ["alpha"] && second.nextCursor == nil)
    }
}
