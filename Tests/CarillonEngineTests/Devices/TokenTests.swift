import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// Which Device has a token, and since when.
@Suite struct TokenTests {
    private func world(_ change: (inout AppRequest) -> Void = { _ in }) async throws -> (Registry, AppID) {
        let registry = try await Registry()
        var request = AppRequest(name: "Shop", bundleID: "com.example.shop", identity: .open)
        change(&request)
        return (registry, try await registry.apps.create(request).app.id)
    }

    private func user(_ name: String) throws -> UserID { try #require(UserID(rawValue: name)) }

    @Test("T-09 a registration is returned as it was sent")
    func showsRegistration() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        let consent = Consent(notifications: true, ads: true, nightAds: true)
        let record = try await phone.register("u1", consent: consent) { registration in
            registration.token = DeviceToken(repeating: 1)
            registration.timeZone = "Asia/Seoul"
            registration.country = "KR"
            registration.language = "ko"
        }

        let shown = try await phone.record()
        #expect(shown == record)
        #expect([shown.timeZone, shown.country, shown.language] == ["Asia/Seoul", "KR", "ko"])
        #expect(shown.consent == consent && shown.user == UserID(rawValue: "u1"))
        #expect(shown.pushType == .apns && shown.tokenState == .active)
    }

    @Test("T-24 a token is removed by its kind, or all tokens with the Device")
    func removesTokens() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        let call = VoIPRegistration(token: DeviceToken(repeating: 9))
        _ = try await registry.devices.registerVoIP(call, of: phone.caller)
        func types() async throws -> [PushType] {
            let users = registry.engine.users
            return try await users.user(try user("u1"), app: app, showsTokens: false).contacts.map(\.pushType)
        }

        try await registry.devices.removeVoIP(of: phone.caller)
        #expect(try await types() == [.apns])
        _ = try await registry.devices.registerVoIP(call, of: phone.caller)
        var change = RegistrationUpdate()
        change.token = .set(nil)
        _ = try await registry.devices.update(app: app, device: phone.device, secret: phone.secret, change)
        #expect(try await types() == [.apnsVoIP])

        try await registry.devices.delete(app: app, device: phone.device, secret: nil)
        await #expect(throws: EngineError.notFound(.user)) { _ = try await types() }
    }

    @Test("T-19 consent to ads gets its time when it is given, and so does consent at night")
    func stampsConsent() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        let start = registry.clock.now()
        try await phone.register("u1")
        #expect(try await phone.record().consentTimes == ConsentTimes(notifications: start))

        registry.clock.advance(milliseconds: 5)
        try await phone.register("u1", consent: Consent(notifications: true, ads: true))
        registry.clock.advance(milliseconds: 5)
        try await phone.register("u1", consent: Consent(notifications: true, ads: true, nightAds: true))

        let times = try await phone.record().consentTimes
        #expect(times.ads?.rawValue == start.rawValue + 5)
        #expect(times.nightAds?.rawValue == start.rawValue + 10)
    }

    @Test("T-13 registering the same token twice leaves one record, with the new values")
    func registersTwice() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }

        try await phone.register("u1") { registration in
            registration.token = DeviceToken(repeating: 1)
            registration.language = "ko"
        }

        let contacts = try await registry.engine.users.user(try user("u1"), app: app, showsTokens: true).contacts
        #expect(contacts.map(\.token) == [DeviceToken(repeating: 1)])
        #expect(try await phone.record().language == "ko")
    }

    @Test("T-14 oldToken moves the record: the import under it is removed, and its history belongs to the new Device")
    func movesImported() async throws {
        let (registry, app) = try await world()
        try await importLine(registry, app, "u1", token: 1)
        let phone = Person(registry: registry, app: app)

        try await phone.register("u1") { registration in
            registration.token = DeviceToken(repeating: 2)
            registration.oldToken = DeviceToken(repeating: 1)
        }

        let contacts = try await registry.engine.users.user(try user("u1"), app: app, showsTokens: true).contacts
        #expect(contacts.map(\.token) == [DeviceToken(repeating: 2)])
        #expect(contacts.map(\.device) == [phone.device])
        let former = try await registry.database.read { connection in
            try connection.all("SELECT public_id FROM former_device_numbers") { row in row.array(0) }
        }
        #expect(former == [withUnsafeBytes(of: phone.device.rawValue.uuid) { Array($0) }])
    }

    @Test("T-14 oldToken is taken over from a former installation, whatever its id")
    func takesOldToken() async throws {
        let (registry, app) = try await world()
        let before = Person(registry: registry, app: app)
        try await before.register("u1") { $0.token = DeviceToken(repeating: 1) }
        let after = Person(registry: registry, app: app)

        try await after.register("u1") { registration in
            registration.token = DeviceToken(repeating: 2)
            registration.oldToken = DeviceToken(repeating: 1)
        }

        #expect(try await before.record().tokenState == .none)
        #expect(try await after.record().tokenState == .active)
    }

    @Test("T-15 an oldToken equal to the token keeps the record")
    func keepsSameToken() async throws {
        let (registry, app) = try await world()
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }

        let record = try await phone.register("u1") { registration in
            registration.token = DeviceToken(repeating: 1)
            registration.oldToken = DeviceToken(repeating: 1)
        }

        #expect(record.tokenState == .active)
        #expect(try await phone.record().tokenState == .active)
    }

    @Test("T-16 where both tokens are known only the new one stays")
    func keepsNewToken() async throws {
        let (registry, app) = try await world()
        try await importLine(registry, app, "u1", token: 1)
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 2) }

        try await phone.register("u1") { registration in
            registration.token = DeviceToken(repeating: 2)
            registration.oldToken = DeviceToken(repeating: 1)
        }

        let contacts = try await registry.engine.users.user(try user("u1"), app: app, showsTokens: true).contacts
        #expect(contacts.map(\.token) == [DeviceToken(repeating: 2)])
    }

    @Test("T-20 where a User has one token, the second Device's replaces the first's, and a VoIP token stays")
    func keepsOneToken() async throws {
        let (registry, app) = try await world { $0.tokensPerUser = .one }
        let (phone, tablet) = (Person(registry: registry, app: app), Person(registry: registry, app: app))
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        _ = try await registry.devices.registerVoIP(
            VoIPRegistration(token: DeviceToken(repeating: 9)),
            of: phone.caller
        )

        try await tablet.register("u1") { $0.token = DeviceToken(repeating: 2) }

        #expect(try await phone.record().tokenState == .none)
        #expect(try await tablet.record().tokenState == .active)
        #expect(try await registry.devices.voIPRecord(of: phone.caller).tokenState == .active)
        // There is one VoIP token too.
        _ = try await registry.devices.registerVoIP(
            VoIPRegistration(token: DeviceToken(repeating: 8)),
            of: tablet.caller
        )
        await #expect(throws: EngineError.notFound(.voIPToken)) {
            try await registry.devices.voIPRecord(of: phone.caller)
        }
        // A Device that returns with a token gets it again.
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        #expect(try await tablet.record().tokenState == .none)
    }

    @Test("T-20 a login on a phone with a token counts too")
    func keepsOneTokenAfterLogin() async throws {
        let (registry, app) = try await world { $0.tokensPerUser = .one }
        let (phone, tablet) = (Person(registry: registry, app: app), Person(registry: registry, app: app))
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        try await tablet.register(nil) { $0.token = DeviceToken(repeating: 2) }
        #expect(try await phone.record().tokenState == .active)

        var login = RegistrationUpdate()
        login.user = .set(try user("u1"))
        _ = try await registry.devices.update(app: app, device: tablet.device, secret: tablet.secret, login)

        #expect(try await phone.record().tokenState == .none)
        #expect(try await tablet.record().tokenState == .active)
    }

    @Test("T-23 T-35 a User's contacts are all tokens, including sandbox and VoIP tokens")
    func listsContacts() async throws {
        let (registry, app) = try await world()
        let (phone, tablet) = (Person(registry: registry, app: app), Person(registry: registry, app: app))
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        registry.clock.advance(milliseconds: 1_000)
        try await tablet.register("u1") { registration in
            registration.token = DeviceToken(repeating: 2)
            registration.pushType = .apnsSandbox
        }
        _ = try await registry.devices.registerVoIP(
            VoIPRegistration(token: DeviceToken(repeating: 9), pushType: .apnsVoIPSandbox),
            of: tablet.caller
        )

        let users = registry.engine.users
        let contacts = try await users.user(try user("u1"), app: app, showsTokens: true).contacts
        #expect(contacts.map(\.pushType) == [.apnsSandbox, .apnsVoIPSandbox, .apns])
        #expect(contacts.map(\.token?.bytes[0]) == [2, 9, 1])
        #expect(contacts.map(\.device) == [tablet.device, tablet.device, phone.device])
        #expect(
            try await users.user(try user("u1"), app: app, showsTokens: false).contacts.allSatisfy { $0.token == nil }
        )
        await #expect(throws: EngineError.notFound(.user)) {
            try await users.user(try user("u2"), app: app, showsTokens: true)
        }
    }

    @Test("T-25 one token may be registered once per tenant, and by two Users")
    func keepsTenantsApart() async throws {
        let (registry, app) = try await world()
        let people = ["a", "b"].map { ($0, Person(registry: registry, app: app)) }
        for (tenant, person) in people {
            try await person.register("user-\(tenant)") { registration in
                registration.token = DeviceToken(repeating: 1)
                registration.tenant = tenant
            }
        }

        for (tenant, person) in people {
            #expect(try await person.record().tokenState == .active)
            #expect(try await person.record().tenant == tenant)
        }
        // Within a tenant nothing changes.
        let third = Person(registry: registry, app: app)
        try await third.register("user-c") { registration in
            registration.token = DeviceToken(repeating: 1)
            registration.tenant = "a"
        }
        #expect(try await people[0].1.record().tokenState == .none)
        #expect(try await people[1].1.record().tokenState == .active)
        // A phone that changes its tenant takes over that tenant's token.
        try await third.register("user-c") { registration in
            registration.token = DeviceToken(repeating: 1)
            registration.tenant = "b"
        }
        #expect(try await people[1].1.record().tokenState == .none)
    }

    @Test("T-28 a token without a registration within the App's lifetime is expired, until it is registered again")
    func expires() async throws {
        let (registry, app) = try await world { $0.tokenLifetimeDays = 30 }
        let phone = Person(registry: registry, app: app)
        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }

        registry.clock.advance(milliseconds: 30 * 86_400_000)
        #expect(try await phone.record().tokenState == .active)
        registry.clock.advance(milliseconds: 1)
        #expect(try await phone.record().tokenState == .expired)
        let contacts = try await registry.engine.users.user(try user("u1"), app: app, showsTokens: false).contacts
        #expect(contacts.map(\.tokenState) == [.expired])

        try await phone.register("u1") { $0.token = DeviceToken(repeating: 1) }
        #expect(try await phone.record().tokenState == .active)
    }

    private func importLine(_ registry: Registry, _ app: AppID, _ user: String, token: UInt8) async throws {
        var devices = DeviceImport(
            app: app,
            store: registry.stores.deviceImports,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock
        ) { line, problem in Issue.record("line \(line) \(problem)") }
        let text = "token,user\n\(DeviceToken(repeating: token).hexadecimal),\(user)\n"
        try await devices.read(Array(text.utf8))
        _ = try await devices.finish()
    }
}
