import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Testing

@Suite struct ForgetTests {
    private func person() async throws -> Person {
        let registry = try await Registry()
        return Person(registry: registry, app: try await registry.app().app.id)
    }

    private func rows(_ person: Person, _ table: String) async throws -> Int {
        try await person.registry.database.read { connection in
            let sql: SQL =
                switch table {
                case "devices": "SELECT count(*) FROM devices"
                case "call_tokens": "SELECT count(*) FROM call_tokens"
                case "former_device_numbers": "SELECT count(*) FROM former_device_numbers"
                case "deleted_devices": "SELECT count(*) FROM deleted_devices"
                case "events": "SELECT count(*) FROM events"
                case "event_counts": "SELECT sum(count) FROM event_counts"
                case "device_tags": "SELECT count(*) FROM device_tags"
                default: "SELECT count(*) FROM user_attributes"
                }
            return try connection.first(sql) { row in row.int(0) } ?? -1
        }
    }

    /// Gives a phone all kinds of data to erase, under two numbers.
    private func fill(_ person: Person) async throws {
        let registry = person.registry
        for (index, user) in ["u0", "u1"].enumerated() {
            try await person.register(user) { $0.token = DeviceToken(repeating: 1) }
            try await report(person, occurrence: Int64(index + 1))
        }
        let call = VoIPRegistration(token: DeviceToken(repeating: 2))
        _ = try await registry.devices.registerVoIP(call, of: person.caller)
        let tag = try await registry.tags.create(app: person.app, TagRequest(name: "sports"))
        _ = try await registry.tags.apply(.add([tag.id]), of: person.caller)
        _ = try await registry.attributes.apply(UserAttributes(attributes: ["plan": .bool(true)]), of: person.caller)
    }

    /// Reports two events of an Occurrence from a phone.
    private func report(_ person: Person, occurrence: Int64) async throws {
        let occurrence = OccurrenceID(milliseconds: 1_799_000_000_000, sequence: UInt32(occurrence))
        let app = person.app
        _ = try await person.registry.database.write { connection in
            try connection.run(
                """
                INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk,
                    slot)
                VALUES ($1, $2, 1, 0, 0, 0, 0, $2) ON CONFLICT DO NOTHING
                """,
                app,
                occurrence
            )
        }
        let stored = try await person.registry.stores.devices.device(app: person.app, device: person.device)
        let number = try #require(stored).number
        let receipt = try await person.registry.apps.receiptKey(for: person.app)
            .receipt(occurrence: occurrence, device: number)
        let now = person.registry.clock.now()
        let events = [Event.Kind.received, .opened].map {
            Event($0, occurrence: occurrence, receipt: receipt, at: now)
        }
        _ = try await person.registry.events.record(app: person.app, events)
    }

    @Test("Only totals are left of a User's last Device") func erasesTheLastDevice() async throws {
        let person = try await person()
        try await fill(person)
        #expect(try await rows(person, "events") == 4)
        #expect(try await rows(person, "device_tags") == 1)

        try await person.registry.devices.erase(person.caller, user: false)

        for table in ["devices", "call_tokens", "former_device_numbers", "events", "device_tags", "user_attributes"] {
            #expect(try await rows(person, table) == 0, "\(table)")
        }
        #expect(try await rows(person, "event_counts") == 4)
        await #expect(throws: EngineError.notFound(.device)) {
            try await person.registry.devices.erase(person.caller, user: false)
        }
    }

    @Test("Other Devices keep their data") func keepsOtherDevices() async throws {
        let person = try await person()
        try await fill(person)
        let other = Person(registry: person.registry, app: person.app)
        try await other.register("u2") { $0.token = DeviceToken(repeating: 7) }
        try await report(other, occurrence: 1)

        try await person.registry.devices.erase(person.caller, user: true)

        #expect(try await rows(person, "events") == 2)
        #expect(try await other.record().tokenState == .active)
    }

    @Test(
        "A User with another Device keeps tags and attributes unless the whole User is erased",
        arguments: [false, true]
    )
    func keepsUsersWithDevices(
        _ user: Bool
    ) async throws {
        let person = try await person()
        try await fill(person)
        let tablet = Person(registry: person.registry, app: person.app)
        try await tablet.register("u1")

        try await person.registry.devices.erase(person.caller, user: user)

        #expect(try await tablet.registry.tags.tags(of: tablet.caller).tags.count == (user ? 0 : 1))
        let attributes = try await tablet.registry.attributes.attributes(of: tablet.caller).attributes
        #expect(attributes.count == (user ? 0 : 1))
        #expect(try await tablet.record().user?.rawValue == "u1")
    }

    @Test(
        "The history of a User's other Devices is erased only where the User is proved",
        arguments: [App.Identity.signed, .open]
    )
    func erasesProvedUsersOnly(
        _ identity: App.Identity
    ) async throws {
        let (registry, people) = try await twoPhones(identity)

        try await registry.devices.erase(people[0].caller, user: true)

        #expect(try await rows(people[0], "events") == (identity == .signed ? 0 : 2))
        #expect(try await people[1].record().user == Self.user)
    }

    @Test(
        "S1-M5 erasing the last Device also erases data of deleted ones, or leaves it to an erasure of the User",
        arguments: [App.Identity.signed, .open]
    )
    func takesDeletedDevicesAlong(_ identity: App.Identity) async throws {
        let (registry, people) = try await twoPhones(identity)
        let (phone, deleted) = (people[0], people[1])
        let now = registry.clock.now()
        _ = try await registry.stores.devices.delete(app: deleted.app, device: deleted.device, secretHash: nil, at: now)
        #expect(try await rows(phone, "deleted_devices") == 1)

        try await registry.devices.erase(phone.caller, user: false)

        let isVouchedFor = identity == .signed
        #expect(try await rows(phone, "events") == (isVouchedFor ? 0 : 2))
        #expect(try await rows(phone, "deleted_devices") == (isVouchedFor ? 0 : 1))
        guard !isVouchedFor else { return }
        let users = Users(store: registry.stores.users, apps: registry.apps, clock: registry.clock)
        try await users.erase(Self.user, app: phone.app)
        #expect(try await rows(phone, "events") == 0)
    }

    private static let user = UserID(rawValue: "u1")!

    /// Two phones of a User, each with reported events.
    private func twoPhones(_ identity: App.Identity) async throws -> (Registry, [Person]) {
        let registry = try await Registry()
        let secrets = try await registry.app(identity)
        let proof = UserProof.signed(
            user: Self.user,
            app: secrets.app.id,
            expires: registry.clock.now().rawValue / 1_000 + 60,
            identitySecret: secrets.identitySecret
        )
        let people = [1, 2].map { _ in Person(registry: registry, app: secrets.app.id) }
        for person in people {
            try await person.register("u1") { $0.userProof = proof }
            try await report(person, occurrence: 1)
        }
        return (registry, people)
    }

    @Test("The erasure covers many Occurrences") func erasesManyOccurrences() async throws {
        let person = try await person()
        try await person.register("u1")
        for sequence in 1...120 { try await report(person, occurrence: Int64(sequence)) }
        // Former numbers make each read cover less.
        for user in 0..<200 { try await person.register("v\(user)") }
        try await report(person, occurrence: 121)

        try await person.registry.devices.erase(person.caller, user: false)

        #expect(try await rows(person, "events") == 0)
    }

    @Test("Another secret erases nothing") func refusesOtherSecrets() async throws {
        let person = try await person()
        try await fill(person)
        let stranger = DeviceCaller(app: person.app, device: person.device, secret: "another secret of 20 bytes")

        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await person.registry.devices.erase(stranger, user: true)
        }

        #expect(try await rows(person, "events") == 4)
        #expect(try await person.record().tokenState == .active)
    }
}
