import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// A revoked key on other nodes, which remember keys for a while.
struct RevokedKeyTests {
    @Test("K-80 A revoked key is refused at once by its node, and by every other within 5 seconds")
    func refusedEverywhere() async throws {
        let registry = try await Registry()
        let instant = NIOLockedValueBox(ContinuousClock.now)
        let vault = try #require(Vault(masterKey: [UInt8](repeating: 7, count: 32)))
        let other = Access(
            keys: registry.stores.apiKeys,
            apps: registry.stores.apps,
            appKeys: AppKeyCache(),
            vault: vault,
            ids: IDSource(clock: registry.clock),
            clock: registry.clock,
            instant: { instant.withLockedValue { $0 } }
        )
        let app = try await registry.app().app.id
        let made = try await registry.access.createKey(app: app, APIKeyRequest(name: "shop", scopes: [.send]))
        #expect(try await registry.access.principal(bearer: made.secret) != nil)
        #expect(try await other.principal(bearer: made.secret) != nil)

        try await registry.access.revokeKey(made.key.id, within: app)

        #expect(try await registry.access.principal(bearer: made.secret) == nil)
        // The other node does not know yet.
        #expect(try await other.principal(bearer: made.secret) != nil)
        instant.withLockedValue { $0 += .seconds(5) }
        #expect(try await other.principal(bearer: made.secret) == nil)
    }
}
