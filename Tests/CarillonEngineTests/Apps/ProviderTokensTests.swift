import CarillonEngine
import CarillonModel
import CarillonStore
import Testing

@Suite struct ProviderTokensTests {
    private let key = ProviderKey(keyID: "K", teamID: "T", publicKeyHash: Array(repeating: 1, count: 32))

    @Test("A token survives its process, and one of several callers replaces it")
    func oneCallerReplacesTheToken() async throws {
        let registry = try await Registry()
        let tokens = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        let first = StoredProviderToken(token: "one", issuedAt: Timestamp(rawValue: 1_000))
        let second = StoredProviderToken(token: "two", issuedAt: Timestamp(rawValue: 2_000))
        let third = StoredProviderToken(token: "three", issuedAt: Timestamp(rawValue: 3_000))

        #expect(try await tokens.providerToken(of: key) == nil)
        #expect(try await tokens.replaceProviderToken(of: key, seen: nil, with: first) == first)
        #expect(try await tokens.replaceProviderToken(of: key, seen: nil, with: second) == first)
        let seen = first.issuedAt
        #expect(try await tokens.replaceProviderToken(of: key, seen: seen, with: second) == second)
        #expect(try await tokens.replaceProviderToken(of: key, seen: seen, with: third) == second)

        let restarted = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        #expect(try await restarted.providerToken(of: key) == second)
        let other = ProviderKey(keyID: "K2", teamID: "T", publicKeyHash: key.publicKeyHash)
        #expect(try await restarted.providerToken(of: other) == nil)
    }

    @Test("A token that another master key sealed counts as missing") func ignoresUnreadableTokens() async throws {
        let registry = try await Registry()
        let old = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        let new = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(2))
        let first = StoredProviderToken(token: "one", issuedAt: Timestamp(rawValue: 1_000))
        let second = StoredProviderToken(token: "two", issuedAt: Timestamp(rawValue: 2_000))
        _ = try await old.replaceProviderToken(of: key, seen: nil, with: first)

        #expect(try await new.providerToken(of: key) == nil)
        #expect(try await new.replaceProviderToken(of: key, seen: nil, with: second) == second)
        #expect(try await new.providerToken(of: key) == second)
    }

    @Test("S1-M1 keys with the same ids have separate tokens, and neither opens the other's")
    func separatesKeysWithTheSameIDs() async throws {
        let registry = try await Registry()
        let tokens = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        let other = ProviderKey(keyID: "K", teamID: "T", publicKeyHash: Array(repeating: 2, count: 32))
        let first = StoredProviderToken(token: "one", issuedAt: Timestamp(rawValue: 1_000))
        let second = StoredProviderToken(token: "two", issuedAt: Timestamp(rawValue: 1_000))

        #expect(try await tokens.replaceProviderToken(of: key, seen: nil, with: first) == first)
        #expect(try await tokens.providerToken(of: other) == nil)
        #expect(try await tokens.replaceProviderToken(of: other, seen: nil, with: second) == second)
        #expect(try await tokens.providerToken(of: key) == first)

        let sealed = try #require(try await registry.stores.providerTokens.token(of: other))
        _ = try await registry.stores.providerTokens.replace(key, issuedAt: first.issuedAt, with: sealed)
        #expect(try await tokens.providerToken(of: key) == nil, "what was sealed for another key does not open")
    }

    @Test("S2-7 a node with a replaced master key uses its own token, or a newer one that it can open")
    func staleNode() async throws {
        let registry = try await Registry()
        let (store, stale) = (registry.stores.providerTokens, try vault(1))
        let tokens = ProviderTokens(store: store, vault: stale)
        let all = [1, 2, 3].map { StoredProviderToken(token: "\($0)", issuedAt: Timestamp(rawValue: $0 * 1_000)) }
        _ = try await tokens.replaceProviderToken(of: key, seen: nil, with: all[0])
        stale.stopSealing()

        #expect(try await tokens.replaceProviderToken(of: key, seen: all[0].issuedAt, with: all[1]) == all[1])
        #expect(try await tokens.providerToken(of: key) == all[0], "it is not saved")

        let sound = ProviderTokens(store: store, vault: try vault(1))
        _ = try await sound.replaceProviderToken(of: key, seen: all[0].issuedAt, with: all[1])
        #expect(try await tokens.replaceProviderToken(of: key, seen: all[0].issuedAt, with: all[2]) == all[1])
    }

    private func vault(_ byte: UInt8) throws -> Vault {
        try #require(Vault(masterKey: Array(repeating: byte, count: 32)))
    }
}
