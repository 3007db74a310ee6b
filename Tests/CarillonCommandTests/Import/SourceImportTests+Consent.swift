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

    @Test("X-43 An ad after an import from OneSignal reaches nobody") func reachesNobodyWithAds() async throws {
        try await ImportWorld.run { world in
            try await world.importing(OneSignalFormat.self, Self.header + row(1) + row(2, user: "a"))

            let consents = try await world.devices().values.map { ConsentBits($0.consent) }
            #expect(consents.map { ConsentRules.skip($0, isAd: false, night: nil) } == [nil, nil])
            #expect(consents.map { ConsentRules.skip($0, isAd: true, night: nil) } == [.noAdConsent, .noAdConsent])
        }
    }
}
