import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Crypto
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

/// A rotation for a store with sealed values in every column.
struct MasterKeyRotationTests {
    private static let old: [UInt8] = Array(repeating: 7, count: 32)
    private static let new: [UInt8] = Array(repeating: 9, count: 32)

    private func vault(_ keys: [UInt8]...) throws -> Vault { try #require(Vault(masterKeys: keys)) }

    private func check(_ registry: Registry) -> MasterKeyCheck {
        MasterKeyCheck(store: registry.stores.masterKeyChecks, apps: registry.stores.apps)
    }

    /// Seals as earlier versions did: without version and key id.
    private static func former(_ secret: String, _ purpose: String) throws -> [UInt8] {
        let key = SymmetricKey(data: old)
        let box = try AES.GCM.seal(Array(secret.utf8), using: key, authenticating: Array(purpose.utf8))
        return Array(try #require(box.combined))
    }

    /// Fills every column, some with values of an earlier version.
    private func fill(_ registry: Registry) async throws {
        let vault = try vault(Self.old)
        #expect(try await check(registry).accepts(vault))
        let app = try await registry.app().app.id
        _ = try await registry.apps.rotateKeys(app, AppKeyRotation([.identitySecret, .receiptKey, .appKey]))
        let pem = P256.Signing.PrivateKey().pemRepresentation
        _ = try await registry.apps.setPushKey(
            app,
            PushKeyRequest(keyID: "ABCDE12345", teamID: "TEAM567890", privateKey: pem)
        )
        _ = try await registry.access.firstKey()
        _ = try await AuditPseudonyms(store: registry.stores.audit, vault: vault).name("user", "u", app: app)
        let webhook = WebhookID(rawValue: 5)
        let sealed = (
            candidate: try vault.seal([7], purpose: .pushKey(app)),
            user: try vault.seal([1], purpose: UserMessages.purpose(app)),
            webhook: try Self.former("a", WebhookPost.purpose(webhook)),
            formerWebhook: try vault.seal([3], purpose: WebhookPost.purpose(webhook)),
            token: try vault.seal([4], purpose: ProviderKey(keyID: "K", teamID: "T", publicKeyHash: [1]).purpose),
            source: try vault.seal([5], purpose: .contentSource(app, set: "s", name: "n")),
            factor: try vault.seal([6], purpose: .secondFactor(OperatorID(rawValue: 8)))
        )
        try await registry.database.write { connection in
            try connection.run(
                """
                INSERT INTO push_key_candidates (app_id, key_id, team_id, private_key, updated_at)
                VALUES ($1, 'K', 'T', $2, 0)
                """,
                app,
                sealed.candidate
            )
            try connection.run(
                "INSERT INTO user_message_rules (app_id, rules, secret) VALUES ($1, '{}', $2)",
                app,
                sealed.user
            )
            try connection.run(
                """
                INSERT INTO webhooks (app_id, id, url, topics, is_active, secret, former_secret, failures, resume_at,
                    created_at, fence)
                VALUES ($1, $2, 'https://a', 1, 1, $3, $4, 0, 0, 0, 0)
                """,
                app,
                webhook,
                sealed.webhook,
                sealed.formerWebhook
            )
            try connection.run(
                """
                INSERT INTO content_sources (app_id, set_name, name, settings, state, secret, is_failing)
                VALUES ($1, 's', 'n', '{}', '{}', $2, 0)
                """,
                app,
                sealed.source
            )
            try connection.run(
                """
                INSERT INTO operators (id, address, address_key, display_name, state, role, theme, second_factor,
                    failed_attempts, created_at)
                VALUES ($1, 'a', 'a', 'A', 1, 1, 0, $2, 0, 0)
                """,
                OperatorID(rawValue: 8),
                sealed.factor
            )
            try connection.run(
                """
                INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
                VALUES ('T', 'K', $1, $2, 0)
                """,
                [UInt8(1)],
                sealed.token
            )
        }
    }

    /// How many values of each column a vault opens, and how many it does not.
    private func opened(_ registry: Registry, _ vault: Vault) async throws -> [SealedColumn: (yes: Int, no: Int)] {
        var counts: [SealedColumn: (yes: Int, no: Int)] = [:]
        for column in SealedColumn.allCases where column != .checks {
            let values = try await registry.stores.sealedValues.sealedValues(of: column, after: nil, limit: 100)
            let yes = values.count { value in
                column.purpose(value.place).map { vault.open(value.sealed, purpose: $0) != nil } ?? false
            }
            counts[column] = (yes, values.count - yes)
        }
        return counts
    }

    private func rotation(
        _ registry: Registry,
        _ vault: Vault,
        values: (any SealedValueStore)? = nil
    ) -> MasterKeyRotation {
        MasterKeyRotation(
            values: values ?? registry.stores.sealedValues,
            checks: registry.stores.masterKeyChecks,
            vault: vault
        )
    }

    @Test("S1-m11 After the rotation the new key opens everything, and the old one nothing")
    func rotates() async throws {
        let registry = try await Registry()
        try await fill(registry)
        let both = try vault(Self.old, Self.new)

        let report = try await rotation(registry, both).run(to: both.keys[1])

        #expect(report.resealed == 14)
        #expect(report.unreadable.isEmpty)
        for (column, count) in try await opened(registry, try vault(Self.new)) {
            #expect(count.no == 0 && count.yes > 0, "\(column.rawValue)")
        }
        for (column, count) in try await opened(registry, try vault(Self.old)) {
            #expect(count.yes == 0, "\(column.rawValue)")
        }
        #expect(try await check(registry).accepts(try vault(Self.new)))
        #expect(try await !check(registry).accepts(try vault(Self.old)))
        #expect(try await registry.stores.masterKeyChecks.sealedChecks().next == nil)
    }

    @Test(
        "S1-m11 If the rotation is interrupted at any step, both keys work, and it can be run again",
        arguments: 0..<10
    )
    func cutOff(_ step: Int) async throws {
        let registry = try await Registry()
        try await fill(registry)
        let both = try vault(Self.old, Self.new)
        let failing = FailingSealedValues(inner: registry.stores.sealedValues, replacements: step)

        await #expect(throws: StoreError.self) {
            try await rotation(registry, both, values: failing).run(to: both.keys[1])
        }

        let restarted = try vault(Self.old, Self.new)
        #expect(try await check(registry).accepts(restarted))
        #expect(restarted.sealingKey == restarted.keys[1])
        for (column, count) in try await opened(registry, restarted) {
            #expect(count.no == 0, "\(column.rawValue)")
        }
        // A node with only one of the keys must not start: it could not open all values.
        #expect(try await !check(registry).accepts(try vault(Self.old)))
        #expect(try await !check(registry).accepts(try vault(Self.new)))
        #expect(try await check(registry).opensStore(try vault(Self.old)) == false)

        _ = try await rotation(registry, restarted).run(to: restarted.keys[1])

        #expect(try await opened(registry, try vault(Self.new)).values.allSatisfy { $0.no == 0 })
        #expect(try await check(registry).accepts(try vault(Self.new)))
    }

    @Test("S1-m11 A value that no key opens is reported and left unchanged, and the rotation continues")
    func unreadable() async throws {
        let registry = try await Registry()
        try await fill(registry)
        try await registry.database.write { connection in
            _ = try connection.run("UPDATE push_keys SET private_key = $1", [UInt8](repeating: 0, count: 60))
        }
        let both = try vault(Self.old, Self.new)

        let report = try await rotation(registry, both).run(to: both.keys[1])

        #expect(report.unreadable == [.pushKeys: 1])
        #expect(try await check(registry).accepts(try vault(Self.new)))
    }

    @Test("S2-1 A node that no longer knows the store's key seals and saves nothing")
    func sealsNothingStale() async throws {
        let registry = try await Registry()
        let node = try vault(Self.old)
        let apps = Apps(
            store: registry.stores.apps,
            vault: node,
            appKeys: registry.appKeys,
            ids: IDSource(clock: registry.clock),
            clock: registry.clock
        )
        #expect(try await check(registry).accepts(node))
        let app = try await apps.create(AppRequest(name: "Bus", bundleID: "a.b")).app.id
        let both = try vault(Self.old, Self.new)
        _ = try await rotation(registry, both).run(to: both.keys[1])
        #expect(try await !check(registry).accepts(node))

        let stale = EngineError.store(.staleMasterKey)
        await #expect(throws: stale) { try await apps.create(AppRequest(name: "Tram", bundleID: "a.c")) }
        await #expect(throws: stale) { try await apps.rotateKeys(app, AppKeyRotation([.receiptKey])) }
        #expect(try await apps.list(after: nil, limit: 10).items.count == 1)
        // A pair of keys that includes the right one has not been accepted by the store yet.
        #expect(node.adopt([Self.old, Self.new]))
        await #expect(throws: stale) { try await apps.rotateKeys(app, AppKeyRotation([.receiptKey])) }
        #expect(try await check(registry).accepts(node))
        _ = try await apps.rotateKeys(app, AppKeyRotation([.receiptKey]))
        #expect(try await opened(registry, try vault(Self.new)).values.allSatisfy { $0.no == 0 })
    }

    @Test("S1-m11 A sealed value has its key's id, and values of earlier versions can still be opened")
    func format() throws {
        let both = try vault(Self.old, Self.new)
        let sealed = try both.seal([1, 2], purpose: "a")
        #expect(both.seal(with: both.keys[1]))
        #expect(both.open(sealed, purpose: "a") == [1, 2])
        #expect(both.opened(sealed, purpose: "a")?.key == both.keys[0])
        #expect(!both.isCurrent(sealed))
        #expect(both.isCurrent(try both.seal([1], purpose: "a")))
        #expect(both.open(try Self.former("x", "a"), purpose: "a") == Array("x".utf8))
        #expect(try vault(Self.new).open(sealed, purpose: "a") == nil)
        #expect(Vault(masterKeys: []) == nil)
        #expect(Vault(masterKeys: [Self.old, Self.old]) == nil)
        // The header is authenticated with the rest.
        var moved = sealed
        moved.replaceSubrange(2..<6, with: both.keys[1].bytes)
        #expect(both.open(moved, purpose: "a") == nil)
    }
}

/// Fails after a number of steps.
private final class FailingSealedValues: SealedValueStore {
    private let inner: any SealedValueStore
    private let left: NIOLockedValueBox<Int>

    init(inner: any SealedValueStore, replacements: Int) {
        self.inner = inner
        left = NIOLockedValueBox(replacements)
    }

    func sealedValues(
        of column: SealedColumn,
        after last: SealedPlace?,
        limit: Int
    ) async throws(StoreError) -> [SealedValue] {
        try await inner.sealedValues(of: column, after: last, limit: limit)
    }

    func replace(
        _ values: [(former: SealedValue, sealed: [UInt8])],
        of column: SealedColumn
    ) async throws(StoreError) {
        let mayGoOn = left.withLockedValue { left in
            left -= 1
            return left >= 0
        }
        guard mayGoOn else { throw .unavailable("The process was killed.") }
        try await inner.replace(values, of: column)
    }
}
