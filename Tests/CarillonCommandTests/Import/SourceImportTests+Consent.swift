import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// What Apple and people decided since the file was written.
extension SourceImportTests {
    @Test("X-34 A token that Apple refuses in its environment is quarantined, and the other environment is named")
    func quarantinesMisplacedTokens() async throws {
        try await ImportWorld.run { world in
            let text = Self.header + row(1, user: "a")
            try await world.importing(OneSignalFormat.self, text)
            let imported = try #require(
                try await world.stores.deviceExports.devices(app: world.server.app, after: nil, limit: 1).first
            )
            let token = try #require(imported.registration.token)
            let at = SystemWallClock().now()
            let verdict = ChunkCommit.TokenVerdict(
                device: imported.number,
                pushType: .apns,
                token: token.bytes,
                .quarantined,
                since: nil,
                reason: FailureReason(rawValue: "BadDeviceToken")
            )
            _ = try await world.stores.deliveries.save(
                TokenVerdicts(app: world.server.app, campaign: CampaignID(rawValue: 1), at: at, verdicts: [verdict])
            )

            // The same file again does not make the token valid.
            try await world.importing(OneSignalFormat.self, text)
            #expect(try await world.devices().values.map(\.tokenState) == [.quarantined])
            let listed = try await world.server.composition.engine.registry.users.invalidTokens(
                app: world.server.app,
                showsTokens: false
            )
            #expect(listed.items.map(\.otherPushType) == [.apnsSandbox])

            let again = try await world.importing(OneSignalFormat.self, text) { $0.environment = .apnsSandbox }
            #expect((again.added, again.replaced) == (0, 1))
            let devices = try await world.devices()
            #expect(devices.values.map(\.tokenState) == [.active])
            #expect(devices.values.map(\.pushType) == [.apnsSandbox])
        }
    }

    @Test("X-42 An import never raises a consent that was lowered here") func keepsLoweredConsents() async throws {
        try await ImportWorld.run { world in
            let (yes, no) = (Self.header + row(1), Self.header + row(1, types: "-2"))
            func consents() async throws -> [Bool] {
                try await world.devices().values.map(\.consent.notifications)
            }

            try await world.importing(OneSignalFormat.self, no)
            try await world.importing(OneSignalFormat.self, yes)
            #expect(try await consents() == [true], "It was not lowered before: a better file is right.")
            try await world.importing(OneSignalFormat.self, no)
            try await world.importing(OneSignalFormat.self, yes)
            #expect(try await consents() == [false])
        }
    }

    @Test("X-42 A consent to ads that a file lowered is raised by one with a later time alone")
    func raisesWhatFilesLowered() async throws {
        try await ImportWorld.run { world in
            func page(_ ads: Bool, _ since: String) -> String {
                #"{"tokens":[{"pushType":"APNS","token":"\#(importedToken(1))","uid":"u","isNotificationAgreement":true,"#
                    + #""isAdAgreement":\#(ads),"adAgreementDateTime":"\#(since)","updatedDateTime":"\#(since)"}]}"#
            }
            func consents() async throws -> [Bool] { try await world.devices().values.map(\.consent.ads) }
            try await world.importing(ToastFormat.self, page(true, "2026-01-01T00:00:00.000+09:00"))
            try await world.importing(ToastFormat.self, page(false, "2026-01-02T00:00:00.000+09:00"))
            try await world.importing(ToastFormat.self, page(true, "2026-01-01T00:00:00.000+09:00"))
            #expect(try await consents() == [false])
            let future = try await world.importing(ToastFormat.self, page(true, "2126-01-03T00:00:00.000+09:00"))
            #expect((future.refused.count, future.refused.lines, future.sum) == (1, ["1"], future.rows))
            #expect(try await consents() == [false])
            // Later than the file that lowered it, and not in the future.
            let lowered = SystemWallClock().now()
            var since = lowered
            while since <= lowered { since = SystemWallClock().now() }
            try await world.importing(ToastFormat.self, page(true, "\(since)"))
            #expect(try await consents() == [true])
        }
    }

    @Test("A token that left here is not brought back: removed by its app, by a vendor API, or with its person")
    func leavesRemovedTokens() async throws {
        try await ImportWorld.run { world in
            let (engine, app) = (world.server.composition.engine, world.server.app)
            let text = Self.header + row(1, user: "a") + row(2, user: "b") + row(3, user: "c") + row(4, user: "d")
            try await world.importing(OneSignalFormat.self, text)
            let token = try #require(DeviceToken(hexadecimal: importedToken(1)))
            let removal = TokenRemoval(app: app, token: token, tenant: nil, pushType: nil, isTrusted: true)
            #expect(try await world.stores.devices.removeToken(removal, at: SystemWallClock().now()) == .deleted)
            func delete(_ user: String) async throws {
                let rows = try await world.stores.deviceExports.devices(app: app, after: nil, limit: 10)
                let row = try #require(rows.first { $0.registration.user?.rawValue == user })
                try await engine.devices.delete(app: app, device: row.device, secret: nil)
            }
            try await delete("b")
            try await engine.registry.users.erase(try #require(UserID(rawValue: "c")), app: app)

            let dry = try await world.importing(OneSignalFormat.self, text, isDryRun: true)
            #expect((dry.added, dry.replaced, dry.registered) == (0, 1, 3))
            let report = try await world.importing(OneSignalFormat.self, text)
            #expect((report.added, report.replaced, report.registered) == (0, 1, 3))
            #expect(try await world.devices().values.map(\.user?.rawValue) == ["d"])
            // Nor into a store that has no device any more.
            try await delete("d")
            let alone = try await world.importing(OneSignalFormat.self, text + row(5), isAlone: true)
            #expect((alone.added, alone.registered) == (1, 4))
        }
    }

    @Test("The right environment moves devices over before anything is sent") func movesUnsentTokens() async throws {
        try await ImportWorld.run { world in
            let text = Self.header + row(1, user: "a")
            try await world.importing(OneSignalFormat.self, text) { $0.environment = .apnsSandbox }
            let again = try await world.importing(OneSignalFormat.self, text)
            #expect((again.added, again.replaced) == (0, 1))
            #expect(try await world.devices().values.map(\.pushType) == [.apns])
        }
    }

    @Test("X-55 A device that its app has registered in Apple's other environment is not doubled")
    func doublesNoRegisteredDevice() async throws {
        try await ImportWorld.run { world in
            let registration = Registration(
                token: DeviceToken(hexadecimal: importedToken(1)),
                consent: Consent(notifications: false)
            )
            _ = try await world.server.composition.engine.devices.register(
                app: world.server.app,
                device: DeviceID(rawValue: UUID()),
                secret: "a secret of the device's own making",
                registration
            )
            let text = Self.header + row(1, user: "old")
            let report = try await world.importing(OneSignalFormat.self, text) { $0.environment = .apnsSandbox }
            #expect((report.added, report.replaced, report.registered) == (0, 0, 1))
            #expect(try await world.devices().count == 1)
        }
    }

    @Test("X-43 An ad after an import from OneSignal reaches nobody") func reachesNobodyWithAds() async throws {
        try await ImportWorld.run { world in
            try await world.importing(OneSignalFormat.self, Self.header + row(1) + row(2, user: "a"))

            let consents = try await world.devices().values.map { ConsentBits($0.consent) }
            #expect(consents.map { ConsentRules.skip($0, isAd: false, night: nil) } == [nil, nil])
            #expect(consents.map { ConsentRules.skip($0, isAd: true, night: nil) } == [.noAdConsent, .noAdConsent])
        }
    }
}

extension SourceImportTests {
    @Test("X-47 A user with too many attributes keeps what they had, is counted, and their devices come")
    func keepsAttributes() async throws {
        try await ImportWorld.run { world in
            func cell(_ name: String) -> String {
                "\"{" + (0..<40).map { "\"\"\(name)\($0)\"\":1" }.joined(separator: ",") + "}\""
            }
            try await world.importing(OneSignalFormat.self, Self.header + row(1, user: "a", tags: #""{""old"":1}""#))

            let report = try await world.importing(
                OneSignalFormat.self,
                Self.header + row(1, user: "a", tags: cell("a")) + row(2, user: "a", tags: cell("b"))
            )

            #expect((report.added, report.replaced) == (1, 1))
            #expect(report.notes.map { "\($0.name) \($0.count)" } == ["attributeExcess 1"])
            #expect(try await world.attributes("a") == ["old": .integer(1)])
        }
    }

    @Test("X-53 An older yes does not win over a newer no of the same token, in any order", arguments: [false, true])
    func keepsTheNewestConsent(_ isNoFirst: Bool) async throws {
        func check<Format: SourceFormat>(
            _ format: Format.Type,
            _ head: String,
            _ yes: String,
            _ no: String
        ) async throws {
            try await ImportWorld.run { world in
                let report = try await world.importing(format, head + (isNoFirst ? no + yes : yes + no))

                #expect(report.leftOut.map(\.name) == ["duplicate"])
                #expect(try await world.devices().values.map(\.consent.notifications) == [false], "\(Format.title)")
            }
        }
        func channel(_ isIn: Bool, _ date: String) -> String {
            "{\"device_type\":\"ios\",\"push_address\":\"\(importedToken(1))\",\"opt_in\":\(isIn),"
                + "\"last_registration\":\"\(date)\"}\n"
        }
        func person(_ isEnabled: Bool, _ date: String) -> String {
            "{\"push_tokens\":[{\"platform\":\"ios\",\"app\":\"a\",\"token\":\"\(importedToken(1))\","
                + "\"notifications_enabled\":\(isEnabled)}],\"apps\":[{\"name\":\"a\",\"last_used\":\"\(date)\"}]}\n"
        }
        let (old, new) = ("2026-01-01T00:00:00", "2026-02-01T00:00:00")
        try await check(OneSignalFormat.self, Self.header, row(1, seen: old), row(1, types: "-2", seen: new))
        try await check(AirshipFormat.self, "", channel(true, old), channel(false, new))
        try await check(BrazeFormat.self, "", person(true, old), person(false, new))
        // Of rows without a date nobody knows which is newer.
        try await check(OneSignalFormat.self, Self.header, row(1), row(1, types: "-2"))
    }

    @Test("X-52 X-58 Countly's dates count, whichever file comes first", arguments: [false, true])
    func readsCountlyDates(_ isPersonFirst: Bool) async throws {
        try await ImportWorld.run { world in
            func push(_ id: String) -> String { "{\"_id\":\"\(id)\",\"tk\":{\"ip\":\"\(importedToken(1))\"}}\n" }
            func person(_ id: String, _ seen: Int) -> String {
                "{\"uid\":\"\(id)\",\"did\":\"u-\(id)\",\"ls\":\(seen)}\n"
            }
            let people = person("1", 1_790_000_000) + person("2", 1_600_000_000) + person("3", 1_700_000_000)
            let tokens = push("1") + push("2")

            let report = try await world.importing(
                CountlyFormat.self,
                isPersonFirst ? people : tokens,
                isPersonFirst ? tokens : people
            ) {
                $0.consent = true
                $0.columns["user"] = "did"
                $0.activeSince = Timestamp("2025-01-01T00:00:00Z")
            }

            #expect(try await world.devices().values.map(\.user?.rawValue) == ["u-1"])
            #expect(report.sum == report.rows && report.rows == 5 && report.joined == 2)
            #expect(report.leftOut.map(\.name) == ["notSeenSince", "withoutMatch"])
        }
    }

    @Test("Files that change between their two readings are not imported") func refusesChangedFiles() async throws {
        try await ImportWorld.run { world in
            let file = try world.server.file("changing.csv", Self.header + row(1))
            var options = SourceOptions()
            options.environment = .apns
            var run = SourceImport<OneSignalFormat>(
                files: [SourceFile(name: "changing.csv", path: file)],
                options: options,
                isDryRun: true,
                side: try SourceSideFiles(SourceSideFiles.Paths())
            )
            try run.survey()
            _ = try world.server.file("changing.csv", Self.header + row(1) + row(1))
            var settings = DeviceImport.Options()
            settings.isDryRun = true
            let target = StoreTarget(world.stores, app: world.server.app, options: settings) { _, _ in }

            let failure = await #expect(throws: CommandFailure.self) { try await run.write(to: target) }
            #expect(failure.map { "\($0)".contains("they had 1 rows, and now 2") } == true)
        }
    }
}
