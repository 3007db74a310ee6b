import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite struct TagsTests {
    private func person() async throws -> Person {
        let registry = try await Registry()
        let person = Person(registry: registry, app: try await registry.app().app.id)
        try await person.register("u1")
        return person
    }

    private func makeTags(_ count: Int, _ person: Person) async throws -> [TagID] {
        var ids: [TagID] = []
        for index in 0..<count {
            ids.append(try await person.registry.tags.create(app: person.app, TagRequest(name: "t\(index)")).id)
        }
        return ids
    }

    private func tags(_ person: Person) async throws -> Set<TagID> {
        try await person.registry.tags.tags(of: person.caller).tags
    }

    private func apply(_ change: TagChange, _ person: Person) async throws -> Set<TagID> {
        try await person.registry.tags.apply(change, of: person.caller).tags
    }

    // MARK: Operators

    @Test("T-29 a new tag has an id of eight characters")
    func makesIDs() async throws {
        let person = try await person()
        let tag = try await person.registry.tags.create(app: person.app, TagRequest(name: "sports"))

        #expect(tag.id.rawValue.utf8.count == 8)
        #expect(tag.name == "sports" && tag.createdAt == person.registry.clock.now())
        #expect(try await person.registry.tags.list(app: person.app, after: nil, limit: 10).items == [tag])
    }

    @Test("An existing id is not assigned again") func assignsUniqueIDs() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        // Bytes that letters and digits do not divide evenly are skipped, so that all ids are equally likely.
        let random = RandomBytes { count in Array(repeating: 255, count: count - 1) + [1] }
        let tags = Tags(store: registry.stores.tags, apps: registry.apps, clock: registry.clock, random: random)

        #expect(try await tags.create(app: app, TagRequest(name: "a")).id.rawValue == "11111111")
        await #expect(throws: EngineError.store(.failed("No new tag id was found."))) {
            try await tags.create(app: app, TagRequest(name: "b"))
        }
        #expect(try await tags.list(app: app, after: nil, limit: 10).items.map(\.name) == ["a"])
    }

    @Test("T-30 tag 2,049 of an App is refused")
    func boundsTags() async throws {
        let person = try await person()
        let app = person.app
        _ = try await person.registry.database.write { connection in
            for number in 0..<2_047 {
                let id = String(10_000_000 + number)
                try connection.run(
                    "INSERT INTO tags (app_id, id, name, created_at, number) VALUES ($1, $2, 'n', 0, $3)",
                    app,
                    id,
                    -number
                )
            }
        }

        _ = try await person.registry.tags.create(app: app, TagRequest(name: "last"))
        await #expect(throws: EngineError.conflict("The App has the maximum of 2048 tags.")) {
            try await person.registry.tags.create(app: app, TagRequest(name: "one more"))
        }
        let elsewhere = try await person.registry.app().app.id
        _ = try await person.registry.tags.create(app: elsewhere, TagRequest(name: "first"))
    }

    @Test("Tags of an App are listed in pages") func listsTags() async throws {
        let person = try await person()
        let ids = try await makeTags(5, person).sorted()

        let first = try await person.registry.tags.list(app: person.app, after: nil, limit: 3)
        let cursor = try #require(first.nextCursor.flatMap(TagID.init(rawValue:)))
        let second = try await person.registry.tags.list(app: person.app, after: cursor, limit: 3)

        #expect((first.items + second.items).map(\.id) == ids)
        #expect(second.nextCursor == nil)
    }

    @Test("T-33 a deleted tag is removed from every User, whose tokens stay")
    func deletes() async throws {
        let person = try await person()
        let ids = try await makeTags(2, person)
        try await person.register("u1") { $0.token = DeviceToken(repeating: 1) }
        _ = try await apply(.add(Set(ids)), person)

        try await person.registry.tags.delete(app: person.app, ids[0])

        #expect(try await tags(person) == [ids[1]])
        #expect(try await person.record().tokenState == .active)
        await #expect(throws: EngineError.notFound(.tag)) {
            try await person.registry.tags.delete(app: person.app, ids[0])
        }
        await #expect(throws: EngineError.refused(.unknownTag(ids[0]))) { try await apply(.add([ids[0]]), person) }
    }

    @Test("An unknown App has no tags") func refusesUnknownApps() async throws {
        let person = try await person()
        await #expect(throws: EngineError.notFound(.app)) {
            try await person.registry.tags.create(app: AppID(rawValue: 1), TagRequest(name: "t"))
        }
        await #expect(throws: EngineError.notFound(.app)) {
            try await person.registry.tags.list(app: AppID(rawValue: 1), after: nil, limit: 1)
        }
    }

    // MARK: Devices

    @Test("T-122 adding, setting and removing tags each return the tags afterwards")
    func tellsResult() async throws {
        let person = try await person()
        let ids = try await makeTags(4, person)

        #expect(try await tags(person) == [])
        #expect(try await apply(.add([ids[0], ids[1]]), person) == [ids[0], ids[1]])
        #expect(try await apply(.add([ids[1], ids[2]]), person) == [ids[0], ids[1], ids[2]])
        #expect(try await apply(.remove([ids[0], ids[3]]), person) == [ids[1], ids[2]])
        #expect(try await apply(.replace([ids[3], ids[2]]), person) == [ids[2], ids[3]])
        #expect(try await tags(person) == [ids[2], ids[3]])
        #expect(try await apply(.removeAll, person) == [])
        #expect(try await tags(person) == [])
    }

    @Test("T-32 setting replaces all tags, and removing removes only the given ones")
    func replaces() async throws {
        let person = try await person()
        let ids = try await makeTags(3, person)
        _ = try await apply(.add(Set(ids)), person)

        #expect(try await apply(.remove([ids[0]]), person) == [ids[1], ids[2]])
        #expect(try await apply(.replace([ids[0]]), person) == [ids[0]])
    }

    @Test("T-123 setting no tags clears them")
    func clears() async throws {
        let person = try await person()
        let ids = try await makeTags(2, person)
        _ = try await apply(.add(Set(ids)), person)

        #expect(try await apply(.replace([]), person) == [])
    }

    @Test("T-124 a Device without a User cannot change tags")
    func needsUser() async throws {
        let person = try await person()
        let ids = try await makeTags(1, person)
        try await person.register(nil)

        await #expect(throws: EngineError.refused(.userRequired)) { try await tags(person) }
        await #expect(throws: EngineError.refused(.userRequired)) { try await apply(.add(Set(ids)), person) }
    }

    @Test("T-31 a User's seventeenth tag is refused, and the others stay")
    func boundsUser() async throws {
        let person = try await person()
        let ids = try await makeTags(17, person)
        _ = try await apply(.add(Set(ids.prefix(15))), person)

        let problem = FieldError(field: "tags", problem: "must leave the User at most 16 tags in all")
        await #expect(throws: EngineError.invalid(problem)) { try await apply(.add(Set(ids.suffix(2))), person) }
        #expect(try await apply(.add(Set(ids.prefix(16))), person).count == 16)
        await #expect(throws: EngineError.invalid(problem)) { try await apply(.add(Set(ids)), person) }
        #expect(try await tags(person) == Set(ids.prefix(16)))
    }

    @Test("T-125 a tag is identified by its id, not by its name")
    func knowsIDsOnly() async throws {
        let person = try await person()
        let id = try #require(TagID(rawValue: "notfound"))

        await #expect(throws: EngineError.refused(.unknownTag(id))) { try await apply(.replace([id]), person) }
        #expect(try await apply(.remove([id]), person) == [])
    }

    @Test("All Devices of a User share tags, and no other Device has them") func sharesTags() async throws {
        let person = try await person()
        let ids = try await makeTags(2, person)
        let tablet = Person(registry: person.registry, app: person.app)
        try await tablet.register("u1")
        _ = try await apply(.add([ids[0]]), person)

        #expect(try await apply(.add([ids[1]]), tablet) == Set(ids))
        try await tablet.register("u2")
        #expect(try await tags(tablet) == [])
        #expect(try await tags(person) == Set(ids))
        try await tablet.register("u1")
        #expect(try await tags(tablet) == Set(ids))
    }

    @Test("Tags of another App are unknown") func separatesApps() async throws {
        let person = try await person()
        let other = Person(registry: person.registry, app: try await person.registry.app().app.id)
        try await other.register("u1")
        let ids = try await makeTags(1, person)

        await #expect(throws: EngineError.refused(.unknownTag(ids[0]))) { try await apply(.add(Set(ids)), other) }
        await #expect(throws: EngineError.notFound(.tag)) {
            try await person.registry.tags.delete(app: other.app, ids[0])
        }
    }
}
