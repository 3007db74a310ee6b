import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Changes of Users' tags by operators, and `device_tags`, which must agree.
@Suite struct UserTagsTests {
    private func world() async throws -> (Registry, AppID) {
        let registry = try await Registry()
        return (registry, try await registry.app().app.id)
    }

    private func users(_ names: String...) throws -> [UserID] { try names.map { try #require(UserID(rawValue: $0)) } }

    private func tag(_ registry: Registry, _ app: AppID, _ name: String = "t") async throws -> TagID {
        try await registry.tags.create(app: app, TagRequest(name: name)).id
    }

    @Test("T-31 a tag is added to up to sixteen Users at once, all or none")
    func appends() async throws {
        let (registry, app) = try await world()
        let first = try await tag(registry, app)
        let names = try users("u1", "u2")
        #expect(try await registry.tags.apply(.add([first]), to: names, app: app).values.allSatisfy { $0 == [first] })
        var others: Set<TagID> = []
        for number in 1..<16 { others.insert(try await tag(registry, app, "t\(number)")) }
        _ = try await registry.tags.apply(.add(others), to: [names[0]], app: app)
        let last = try await tag(registry, app, "last")

        await #expect(throws: EngineError.self) {
            _ = try await registry.tags.apply(.add([last]), to: [names[1], names[0]], app: app)
        }

        #expect(try await registry.stores.tags.tags(of: names[1], app: app) == [first])
        let tooMany = Data("{\"users\":[\((1...17).map { "\"v\($0)\"" }.joined(separator: ","))]}".utf8)
        #expect(throws: FieldError.self) { try JSONDecoder().decode(TagUsersRequest.self, from: tooMany) }
    }

    @Test("T-33 removing the last tag leaves the tokens, and erasing the User removes them")
    func cuts() async throws {
        let (registry, app) = try await world()
        let tag = try await tag(registry, app)
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        let names = try users("u1")
        _ = try await registry.tags.apply(.add([tag]), to: names, app: app)

        _ = try await registry.tags.apply(.remove([tag]), to: names, app: app)
        #expect(try await registry.tags.tags(of: phone.caller).tags == [])
        #expect(try await phone.record().tokenState == .active)

        try await registry.engine.users.erase(names[0], app: app)
        await #expect(throws: EngineError.notFound(.device)) { try await phone.record() }
        await #expect(throws: EngineError.notFound(.user)) {
            try await registry.engine.users.erase(names[0], app: app)
        }
    }

    @Test("T-34 tags are found by name, and a tag's Users are paged, also by User")
    func pages() async throws {
        let (registry, app) = try await world()
        let (tag, other) = (try await tag(registry, app, "vip"), try await tag(registry, app, "other"))
        for number in 1...5 {
            let phone = Person(registry: registry, app: app)
            try await phone.register("u\(number)")
            _ = try await registry.tags.apply(number == 3 ? .add([other]) : .add([tag]), of: phone.caller)
        }
        // A second Device of the same User, and Users without one.
        try await Person(registry: registry, app: app).register("u2")
        _ = try await registry.tags.apply(.add([tag]), to: try users("w1", "w2"), app: app)

        #expect(try await registry.tags.list(app: app, named: "vip", after: nil, limit: 10).items.map(\.id) == [tag])
        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await registry.tags.users(
                of: tag,
                app: app,
                after: cursor.flatMap(TagUserPosition.init(text:)),
                limit: 2
            )
            seen += page.items.map(\.rawValue)
            cursor = page.nextCursor
        } while cursor != nil
        #expect(seen == ["u1", "u2", "u4", "u5", "w1", "w2"])
    }

    @Test("T-35 a User's record has the tags with their names")
    func shows() async throws {
        let (registry, app) = try await world()
        let tag = try await registry.tags.create(app: app, TagRequest(name: "vip"))
        _ = try await registry.tags.apply(.add([tag.id]), to: try users("u1"), app: app)
        registry.clock.advance(milliseconds: 5)

        let renamed = try await registry.tags.rename(app: app, tag.id, TagRequest(name: "gold"))

        let record = try await registry.engine.users.user(try users("u1")[0], app: app, showsTokens: false)
        #expect(record.tags == [renamed])
        #expect(renamed.name == "gold")
        #expect(renamed.updatedAt.rawValue == renamed.createdAt.rawValue + 5)
    }

    @Test("Tags of an id that too many Devices share cannot change") func refusesSharedIDs() async throws {
        let (registry, app) = try await world()
        let tag = try await tag(registry, app)
        for _ in 0...Tags.maximumDevices { try await Person(registry: registry, app: app).register("anonymous") }

        await #expect(throws: EngineError.conflict("The User has more than 256 Devices.")) {
            _ = try await registry.tags.apply(.add([tag]), to: try users("anonymous"), app: app)
        }
    }

    /// Random logins, logouts, tag changes and deletions: after each, all tables agree.
    @Test("Tag rows match a model after random changes", arguments: [1, 2, 3, 4] as [UInt64])
    func matchesTheModel(_ seed: UInt64) async throws {
        let (registry, app) = try await world()
        var random = SeededGenerator(seed: seed)
        var tags: [TagID] = []
        for number in 0..<4 { tags.append(try await tag(registry, app, "t\(number)")) }
        let people = (0..<4).map { _ in Person(registry: registry, app: app) }
        for step in 0..<60 {
            let person = people[Int.random(in: 0..<people.count, using: &random)]
            let user = Bool.random(using: &random) ? "u\(Int.random(in: 0..<3, using: &random))" : nil
            let some = Set(tags.filter { _ in Bool.random(using: &random) })
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let label = "\(Int.random(in: 1..<4, using: &random))"
                try await person.register(user) { registration in
                    registration.token = DeviceToken(repeating: UInt8(step % 5))
                    registration.categories = label == "1" ? nil : .list([label, "common"])
                    registration.language = ["ko-KR", "JA_jp", "x", nil].randomElement(using: &random) ?? nil
                    registration.country = ["KR", "jp", nil].randomElement(using: &random) ?? nil
                    registration.consent.ads = Bool.random(using: &random)
                }
            case 2: _ = try? await registry.tags.apply(.replace(some), of: person.caller)
            case 3: _ = try await registry.tags.apply(.add(some), to: try users(user ?? "u9"), app: app)
            case 4: try? await registry.devices.delete(app: app, device: person.device, secret: nil)
            default:
                if step % 20 == 19, let tag = tags.popLast() { try await registry.tags.delete(app: app, tag) }
            }
            try await checkLabels(registry)
        }
    }

    private func checkLabels(_ registry: Registry) async throws {
        let state = try await registry.database.read { connection in
            let devices = try connection.all(
                "SELECT number, user_id, tags, categories, consent, language, country FROM devices"
            ) { row in
                (row.int64(0), row.optionalString(1), row.optionalString(2), row.isNull(3), Self.facets(row))
            }
            let deviceTags = try connection.all("SELECT device_number, tag, facets FROM device_tags") { row in
                "\(row.int64(0)) \(row.int64(1)) \(row.int64(2))"
            }
            let parked = try connection.all("SELECT user_id FROM user_tags") { row in row.string(0) }
            let labelled = try connection.all("SELECT DISTINCT device_number FROM device_categories") { $0.int64(0) }
            return (devices: devices, deviceTags: deviceTags, parked: parked, labelled: labelled)
        }
        let expected = state.devices.flatMap { device in
            (device.2 ?? "").split(separator: ",").map { "\(device.0) \($0) \(device.4.rawValue)" }
        }
        #expect(Set(state.deviceTags) == Set(expected))
        #expect(state.deviceTags.count == expected.count)
        let byUser = Dictionary(grouping: state.devices.filter { $0.1 != nil }, by: \.1)
        for devices in byUser.values { #expect(Set(devices.map(\.2)).count == 1) }
        #expect(state.devices.allSatisfy { $0.1 != nil || $0.2 == nil })
        #expect(Set(state.parked).isDisjoint(with: byUser.keys.compactMap(\.self)))
        #expect(Set(state.labelled) == Set(state.devices.filter { !$0.3 }.map(\.0)))
    }

    private static func facets(_ row: any SQLStatement) -> DeviceFacets {
        DeviceFacets(
            consent: ConsentBits(rawValue: UInt8(row.int64(4))),
            language: row.optionalString(5),
            country: row.optionalString(6)
        )
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
