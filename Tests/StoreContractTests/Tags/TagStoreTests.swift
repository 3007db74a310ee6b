import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Tags and attributes of Users.
@Suite struct TagStoreTests {
    private let app = AppID(rawValue: 77)
    private let now = Timestamp(rawValue: 1_800_000_000_000)
    private let secret = "a secret of the device's own making"

    private func withStores(_ kind: StoreKind, _ body: (Stores) async throws -> Void) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: now)
            let app = App(id: app, request: AppRequest(name: "Shop", bundleID: "com.example.shop"), createdAt: now)
            let secrets = SealedAppSecrets(keyHash: SecretHash(of: "key"), identitySecret: [1], receiptKey: [2])
            try await stores.apps.insert(StoredApp(app: app, secrets: secrets))
            try await body(stores)
        }
    }

    private func register(_ stores: Stores, _ user: String?) async throws -> DeviceCaller {
        let device = DeviceID(rawValue: UUID())
        var registration = Registration(consent: Consent(notifications: true))
        registration.user = user.flatMap(UserID.init(rawValue:))
        let change = DeviceChange(
            app: app,
            device: device,
            secretHash: SecretHash(of: secret),
            content: .registration(registration),
            claim: .granted,
            at: now
        )
        _ = try await stores.devices.apply(change)
        return DeviceCaller(app: app, device: device, secret: secret)
    }

    /// The numbers of the tags that Devices have.
    private func deviceTags(_ stores: Stores) async throws -> [String] {
        try await stores.database.read { connection in
            try connection.all("SELECT tag FROM device_tags ORDER BY tag, device_number") { row in "\(row.int64(0))" }
        }
    }

    private func tag(_ stores: Stores, _ text: String) async throws -> TagID {
        let id = try #require(TagID(rawValue: text))
        let tag = CarillonOperatorModel.Tag(id: id, name: text, createdAt: now)
        #expect(try await stores.tags.insert(tag, app: app, limit: 3) == .added)
        return id
    }

    @Test("S1-operators-18 A name is given to one tag of an App", arguments: StoreKind.allCases)
    func namesOnce(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let first = try await tag(stores, "aaaaaaaa")
            let other = try await tag(stores, "bbbbbbbb")
            let again = CarillonOperatorModel.Tag(
                id: try #require(TagID(rawValue: "cccccccc")),
                name: "aaaaaaaa",
                createdAt: now
            )
            #expect(try await stores.tags.insert(again, app: app, limit: 3) == .nameTaken)
            #expect(try await stores.tags.rename(other, to: "aaaaaaaa", app: app, at: now) == .nameTaken)
            guard case .renamed = try await stores.tags.rename(first, to: "aaaaaaaa", app: app, at: now) else {
                Issue.record("a tag keeps its own name")
                return
            }
        }
    }

    @Test("An id is assigned once, and the number of tags is limited", arguments: StoreKind.allCases)
    func limitsTags(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let id = try await tag(stores, "aaaaaaaa")
            let again = CarillonOperatorModel.Tag(id: id, name: "other", createdAt: now)
            #expect(try await stores.tags.insert(again, app: app, limit: 3) == .taken)
            _ = try await tag(stores, "BBBBBBBB")
            _ = try await tag(stores, "00000000")

            let fourth = CarillonOperatorModel.Tag(
                id: try #require(TagID(rawValue: "dddddddd")),
                name: "n",
                createdAt: now
            )
            #expect(try await stores.tags.insert(fourth, app: app, limit: 3) == .full)
            let found = try await stores.tags.tags(app: app, named: nil, after: nil, limit: 10)
            #expect(found.map(\.id.rawValue) == ["00000000", "BBBBBBBB", "aaaaaaaa"])
            #expect(found.last?.name == "aaaaaaaa")
        }
    }

    @Test("Concurrent tag changes of one User's Devices are all applied", arguments: StoreKind.allCases)
    func appliesConcurrentChanges(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            var tags: [TagID] = []
            for text in ["aaaaaaaa", "bbbbbbbb", "cccccccc"] { tags.append(try await tag(stores, text)) }
            var callers: [DeviceCaller] = []
            for _ in 0..<3 { callers.append(try await register(stores, "u1")) }

            try await withThrowingTaskGroup(of: Void.self) { group in
                for (caller, tag) in zip(callers, tags) {
                    group.addTask { _ = try await stores.tags.apply(.add([tag]), of: caller).get() }
                }
                try await group.waitForAll()
            }

            for caller in callers { #expect(try await stores.tags.tags(of: caller).get() == Set(tags)) }
            #expect(try await deviceTags(stores).count == 9)
        }
    }

    @Test("A deleted tag is removed from all Users, however many", arguments: StoreKind.allCases)
    func deletesTags(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let (first, second) = (try await tag(stores, "aaaaaaaa"), try await tag(stores, "bbbbbbbb"))
            let caller = try await register(stores, "u1")
            #expect(try await stores.tags.apply(.add([first, second]), of: caller).get() == [first, second])
            let app = app
            _ = try await stores.database.write { connection in
                for number in 10_000..<11_200 {
                    try connection.run(
                        """
                        INSERT INTO devices (app_id, number, public_id, user_id, consent, push_type, tags, created_at,
                            registered_at)
                        VALUES ($1, $2, $3, $4, 1, 1, '1', 0, 0)
                        """,
                        app,
                        number,
                        DeviceID(rawValue: UUID()),
                        "v\(number)"
                    )
                    try connection.run(
                        "INSERT INTO device_tags (app_id, tag, device_number, facets) VALUES ($1, 1, $2, 1)",
                        app,
                        number
                    )
                }
            }

            #expect(try await stores.tags.delete(first, app: app))

            let left = try await stores.database.read { connection in
                try connection.all("SELECT user_id, tags FROM devices WHERE tags IS NOT NULL") { row in
                    row.string(0) + " " + row.string(1)
                }
            }
            #expect(left == ["u1 2"])
            #expect(try await deviceTags(stores) == ["2"])
            #expect(try await stores.tags.delete(first, app: app) == false)
        }
    }

    @Test("Leftovers of an interrupted deletion do not count", arguments: StoreKind.allCases)
    func ignoresLeftovers(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let id = try await tag(stores, "aaaaaaaa")
            let caller = try await register(stores, "u1")
            _ = try await stores.tags.apply(.add([id]), of: caller).get()
            _ = try await stores.database.write { connection in
                try connection.run("DELETE FROM tags")
            }

            #expect(try await stores.tags.tags(of: caller).get() == [])
            let answer = try await stores.tags.apply(.add([id]), of: caller)
            #expect(answer == .failure(.refused(.unknownTag(id))))
            try await stores.tags.removeLeftovers(app: app)
            #expect(try await deviceTags(stores).isEmpty)
        }
    }

    @Test("An unauthorized caller is refused and changes nothing", arguments: StoreKind.allCases)
    func refusesOtherSecrets(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let id = try await tag(stores, "aaaaaaaa")
            let caller = try await register(stores, "u1")
            let nobody = try await register(stores, nil)
            let stranger = DeviceCaller(app: app, device: caller.device, secret: "another secret")
            let unknown = DeviceCaller(app: app, device: DeviceID(rawValue: UUID()), secret: secret)
            let change = UserAttributes(attributes: ["a": .integer(1)])
            for (caller, error) in [
                (nobody, .refused(.userRequired)), (stranger, .refused(.wrongDeviceSecret)),
                (unknown, .notFound(.device)),
            ] as [(DeviceCaller, EngineError)] {
                #expect(try await stores.tags.tags(of: caller) == .failure(error))
                #expect(try await stores.tags.apply(.add([id]), of: caller) == .failure(error))
                #expect(try await stores.attributes.attributes(of: caller) == .failure(error))
                #expect(try await stores.attributes.apply(change, of: caller) == .failure(error))
            }
            #expect(try await stores.tags.tags(of: caller).get() == [])
            #expect(try await stores.attributes.attributes(of: caller).get().attributes.isEmpty)
        }
    }

    @Test("Attributes change their type and are removed one by one", arguments: StoreKind.allCases)
    func changesAttributes(_ kind: StoreKind) async throws {
        try await withStores(kind) { stores in
            let caller = try await register(stores, "u1")
            let values: [JSONValue] = [
                .string("1"), .integer(1), .number(1.25), .bool(true), .integer(.min), .string(""),
            ]
            for value in values {
                let change = UserAttributes(attributes: ["a": value, "b": .integer(2)])
                #expect(try await stores.attributes.apply(change, of: caller).get() == change)
                #expect(try await stores.attributes.attributes(of: caller).get() == change)
            }
            let removal = UserAttributes(attributes: ["a": .null])
            let result = try await stores.attributes.apply(removal, of: caller).get()
            #expect(result.attributes == ["b": .integer(2)])
            #expect(try await stores.attributes.attributes(of: caller).get() == result)
        }
    }
}
