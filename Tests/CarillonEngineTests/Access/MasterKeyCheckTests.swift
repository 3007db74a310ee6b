import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import Testing

struct MasterKeyCheckTests {
    private func vault(_ byte: UInt8) throws -> Vault {
        try #require(Vault(masterKey: [UInt8](repeating: byte, count: Vault.keyByteCount)))
    }

    private func check(_ registry: Registry) -> MasterKeyCheck {
        MasterKeyCheck(store: registry.stores.masterKeyChecks, apps: registry.stores.apps)
    }

    @Test("O2-2 An empty store accepts any key, and from then on only that one")
    func takesTheFirstKey() async throws {
        let check = check(try await Registry())
        #expect(try await !check.needsKnownKey())

        #expect(try await check.accepts(try vault(1)))

        #expect(try await check.needsKnownKey())
        #expect(try await !check.accepts(try vault(2)))
        #expect(try await check.accepts(try vault(1)))
    }

    @Test("O2-2 A store without check value gets one from a key that opens an App's secret, and from no other")
    func asksAnApp() async throws {
        let registry = try await Registry()
        _ = try await registry.app()
        let check = check(registry)
        #expect(try await check.needsKnownKey())

        #expect(try await !check.accepts(try vault(8)))
        #expect(try await registry.stores.masterKeyChecks.sealedChecks().current == nil)
        #expect(try await check.accepts(try vault(7)))
        #expect(try await registry.stores.masterKeyChecks.sealedChecks().current != nil)
    }

    @Test("O2-2 Of nodes that start at once with different keys, one continues")
    func oneKeyWins() async throws {
        let check = check(try await Registry())

        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for byte in UInt8(1)...8 {
                let vault = try vault(byte)
                group.addTask { try await check.accepts(vault) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }

        #expect(accepted == 1)
    }
}
