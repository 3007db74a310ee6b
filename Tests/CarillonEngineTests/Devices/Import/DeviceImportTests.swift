import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite struct DeviceImportTests {
    @Test("Every column is imported") func importsAllColumns() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let device = DeviceID(rawValue: UUID())
        let header =
            "Token,push_type,user,language,country,time_zone,app_version,os_version,consent_notifications,consent_ads,"
            + "consent_night_ads,device\n"
        let line = "\(token(1)),apns_sandbox,u1,zh-Hant,TW,Asia/Taipei,1.0,iOS 17.4,yes,1,false,\(device)\n"

        let result = try await run(registry, app, header + line)

        #expect(result.counts.added == 1)
        #expect(result.rejected.isEmpty)
        let record = try await registry.devices.device(app: app, device: device, secret: nil)
        var expected = Registration(
            token: DeviceToken(hexadecimal: token(1)),
            pushType: .apnsSandbox,
            consent: Consent(notifications: true, ads: true, nightAds: false)
        )
        expected.user = UserID(rawValue: "u1")
        expected.language = "zh-Hant"
        expected.country = "TW"
        expected.timeZone = "Asia/Taipei"
        expected.appVersion = "1.0"
        expected.osVersion = "iOS 17.4"
        let now = registry.clock.now()
        #expect(
            record
                == DeviceRecord(
                    device: device,
                    app: app,
                    registration: expected,
                    tokenState: .active,
                    createdAt: now,
                    registeredAt: now
                )
        )
    }

    @Test(
        "A token of another push type than those for notifications is reported",
        arguments: ["fcm", "apns_voip", "apns_voip_sandbox"]
    )
    func reportsOtherPushTypes(_ pushType: String) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id

        let result = try await run(registry, app, "token,push_type\n\(token(1)),\(pushType)\n")

        #expect(result.counts.added == 0)
        #expect(result.rejected == ["2 push_type must be apns, or apns_sandbox for apps that Xcode installed"])
    }

    @Test("Bad lines are reported with number and reason, and all others are imported", arguments: [1, 2, 50])
    func reportsBadLines(_ batchSize: Int) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let text = """
            token,user,consent_ads,device
            \(token(1)),u1,,
            xyz,u2,,
            \(token(2)),u2,maybe,
            \(token(3)),u3,true,not-a-uuid
            \(token(4)),u4
            "\(token(5))"x,u5,,
            \(token(6)),u6,true,
            """

        let result = try await run(registry, app, text, batchSize: batchSize)

        #expect(result.counts.added == 2)
        #expect(result.counts.rejected == 5)
        #expect(
            result.rejected == [
                "3 token must be 16 through 200 hexadecimal digits, an even number of them",
                "4 consent_ads must be true or false", "5 device must be a UUID", "6 has 2 fields, the header has 4",
                "7 has characters after a closing quote",
            ]
        )
        #expect(try await count(registry) == 2)
    }

    @Test("The later line of a token wins, in one file and across files", arguments: [1, 50])
    func laterLinesWin(_ batchSize: Int) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let text = "token,user\n\(token(1)),u1\n\(token(2)),u2\n\(token(1)),u3\n"

        let first = try await run(registry, app, text, batchSize: batchSize)
        let second = try await run(registry, app, "token,user\n\(token(2)),u4\n", batchSize: batchSize)

        #expect(first.counts.added == 2)
        #expect(first.counts.replaced == 1)
        #expect(second.counts.replaced == 1)
        #expect(try await users(registry) == ["u3", "u4"])
    }

    @Test("A Device that its app has registered is not changed") func keepsRegisteredDevices() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let device = DeviceID(rawValue: UUID())
        var registration = Registration(
            token: DeviceToken(hexadecimal: token(1)),
            consent: Consent(notifications: true)
        )
        registration.user = UserID(rawValue: "live")
        _ = try await registry.devices.register(app: app, device: device, secret: secret, registration)

        let byToken = try await run(registry, app, "token,user\n\(token(1)),old\n")
        let byID = try await run(registry, app, "token,user,device\n\(token(2)),old,\(device)\n")

        #expect(byToken.counts.registered == 1)
        #expect(byID.counts.registered == 1)
        #expect(try await users(registry) == ["live"])
    }

    @Test("An imported Device is claimed by its token, without leftovers") func claimsImportedDevices() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let known = DeviceID(rawValue: UUID())
        _ = try await run(registry, app, "token,user,device\n\(token(1)),u1,\n\(token(2)),u2,\(known)\n")
        let first = Registration(token: DeviceToken(hexadecimal: token(1)), consent: Consent(notifications: false))
        let second = Registration(token: DeviceToken(hexadecimal: token(2)), consent: Consent(notifications: false))

        // A new id: the imported Device was only a placeholder for its token.
        let created = try await registry.devices.register(
            app: app,
            device: DeviceID(rawValue: UUID()),
            secret: secret,
            first
        )
        // The imported id: the token proves it.
        let claimed = try await registry.devices.register(app: app, device: known, secret: secret, second)

        guard case .created(let new) = created, case .updated(let old) = claimed else {
            Issue.record("One Device is new, the other claimed.")
            return
        }
        #expect(new.user == nil)
        #expect(old.user == nil)
        #expect(try await count(registry) == 2)
        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await registry.devices.device(app: app, device: known, secret: "somebody else's secret")
        }
    }

    @Test("An imported Device cannot be claimed without its token") func requiresTheToken() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let known = DeviceID(rawValue: UUID())
        _ = try await run(registry, app, "token,device\n\(token(1)),\(known)\n")
        let stranger = Registration(token: DeviceToken(hexadecimal: token(9)), consent: Consent(notifications: true))

        await #expect(throws: EngineError.refused(.wrongDeviceSecret)) {
            try await registry.devices.register(app: app, device: known, secret: secret, stranger)
        }
    }

    @Test(
        "An invalid header stops the import",
        arguments: [
            ("", "the file is empty"), ("user\nu1\n", "the header has no column token"),
            ("token,token\n", "the column token is there twice"),
            ("token,consent_add\n", "column 2 of the header is not known"),
        ]
    )
    func refusesInvalidHeaders(_ text: String, _ problem: String) async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id

        let error = await #expect(throws: EngineError.self) { try await run(registry, app, text) }

        guard case .invalid(let field) = error else {
            Issue.record("The header is refused by field.")
            return
        }
        #expect(field.problem == problem)
    }

    @Test("An unknown App is refused") func refusesUnknownApps() async throws {
        let registry = try await Registry()

        await #expect(throws: EngineError.notFound(.app)) {
            try await run(registry, AppID(rawValue: 1), "token\n\(token(1))\n")
        }
    }
}

extension DeviceImportTests {
    private var secret: String { "a secret of the device's own making" }

    private func token(_ byte: Int) -> String { String(repeating: String(format: "%02x", byte), count: 32) }

    private func run(
        _ registry: Registry,
        _ app: AppID,
        _ text: String,
        batchSize: Int = 100,
        isAlone: Bool = false,
        format: DeviceFileFormat = .csv
    ) async throws(EngineError) -> (counts: ImportCounts, rejected: [String]) {
        var rejected: [String] = []
        var options = DeviceImport.Options()
        options.batchSize = batchSize
        options.isAlone = isAlone
        options.format = format
        var devices = DeviceImport(
            app: app,
            store: registry.stores.deviceImports,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock,
            options: options
        ) { line, problem in rejected.append("\(line) \(problem)") }
        try await devices.read(Array(text.utf8))
        return (try await devices.finish(), rejected)
    }

    private func count(_ registry: Registry) async throws -> Int? {
        try await registry.database.read { connection in
            try connection.first("SELECT count(*) FROM devices") { row in row.int(0) }
        }
    }

    private func users(_ registry: Registry) async throws -> [String] {
        try await registry.database.read { connection in
            try connection.all("SELECT user_id FROM devices ORDER BY user_id") { row in row.string(0) }
        }
    }
}
