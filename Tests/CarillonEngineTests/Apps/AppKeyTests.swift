import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Foundation
import Testing

@testable import CarillonEngine

/// Former secrets of an App, and until when they are accepted.
struct AppKeyTests {
    /// The Apps as another node reads them, or this one after its caches expired.
    private func fresh(_ registry: Registry) throws -> (apps: Apps, access: Access) {
        let vault = try #require(Vault(masterKey: Array(repeating: 7, count: 32)))
        let keys = AppKeyCache()
        let ids = IDSource(clock: registry.clock)
        return (
            Apps(store: registry.stores.apps, vault: vault, appKeys: keys, ids: ids, clock: registry.clock),
            Access(
                keys: registry.stores.apiKeys,
                apps: registry.stores.apps,
                appKeys: keys,
                vault: vault,
                ids: ids,
                clock: registry.clock
            )
        )
    }

    @Test("S1-operators-6 A former App key is accepted until its end, found by an index")
    func appKey() async throws {
        let registry = try await Registry()
        let old = try await registry.app()
        let new = try await registry.apps.rotateKeys(old.app.id, AppKeyRotation([.appKey], overlapHours: 2))
        #expect(try await fresh(registry).access.app(appKey: old.appKey) == old.app.id)

        registry.clock.advance(milliseconds: 7_199 * 1_000)
        #expect(try await fresh(registry).access.app(appKey: old.appKey) == old.app.id)
        registry.clock.advance(milliseconds: 1 * 1_000)

        #expect(try await fresh(registry).access.app(appKey: old.appKey) == nil)
        #expect(try await fresh(registry).access.app(appKey: try #require(new.appKey)) == old.app.id)
        #expect(try await registry.apps.app(old.app.id).formerKeys == nil)
    }

    @Test("S1-operators-6 A user proof signed by the former identity secret is accepted for a day")
    func identitySecret() async throws {
        let registry = try await Registry()
        let old = try await registry.app(.signed)
        let new = try await registry.apps.rotateKeys(old.app.id, AppKeyRotation([.identitySecret]))
        #expect(new.appKey == nil)
        let secret = try #require(new.identitySecret)
        let user = try #require(UserID(rawValue: "u-1"))
        func claim(_ secret: String) async throws -> UserClaim {
            let now = registry.clock.now()
            let expires = now.rawValue / 1_000 + 60
            let proof = UserProof.signed(user: user, app: old.app.id, expires: expires, identitySecret: secret)
            return try await fresh(registry).apps.facts(old.app.id).claim(user, proof: proof, app: old.app.id, now: now)
        }

        #expect(try await claim(old.identitySecret) == .granted)
        #expect(try await claim(secret) == .granted)
        registry.clock.advance(milliseconds: 86_400 * 1_000)

        #expect(try await claim(old.identitySecret) == .wrong)
        #expect(try await claim(secret) == .granted)
    }

    @Test("S1-m11 Receipts of sent pushes stay valid for 30 days after the receipt key was replaced")
    func receiptKey() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let occurrence = OccurrenceID(milliseconds: registry.clock.now().rawValue, sequence: 1)
        let device = DeviceNumber(rawValue: 9)
        let old = try await registry.apps.receiptKey(for: app).receipt(occurrence: occurrence, device: device)

        _ = try await registry.apps.rotateKeys(app, AppKeyRotation([.receiptKey]))

        let new = try await registry.apps.receiptKey(for: app)
        #expect(new.receipt(occurrence: occurrence, device: device) != old)
        func devices(of receipt: Receipt) async throws -> [DeviceNumber] {
            try await fresh(registry).apps.receiptKeys(for: app, at: registry.clock.now())
                .compactMap { $0.device(of: receipt, occurrence: occurrence) }
        }
        #expect(try await devices(of: old) == [device])
        registry.clock.advance(milliseconds: 30 * 86_400 * 1_000)
        #expect(try await devices(of: old) == [])
        #expect(try await devices(of: new.receipt(occurrence: occurrence, device: device)) == [device])
    }

    @Test("S1-operators-6 An expired former secret is deleted")
    func forgotten() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        _ = try await registry.apps.rotateKeys(app, AppKeyRotation([.identitySecret, .receiptKey], overlapHours: 1))
        #expect(try await registry.stores.apps.storedApp(app)?.secrets.former.count == 2)
        registry.clock.advance(milliseconds: 3_600 * 1_000)

        _ = try await fresh(registry).apps.facts(app)

        #expect(try await registry.stores.apps.storedApp(app)?.secrets.former.isEmpty == true)
    }
}
