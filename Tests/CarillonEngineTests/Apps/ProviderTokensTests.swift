import CarillonEngine
import CarillonModel
import CarillonStore
import Testing

@Suite struct ProviderTokensTests {
    @Test func `a token outlives its process and is replaced by one of several callers`() async throws {
        let registry = try await Registry()
        let tokens = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        let first = StoredProviderToken(token: "one", issuedAt: Timestamp(rawValue: 1_000))
        let second = StoredProviderToken(token: "two", issuedAt: Timestamp(rawValue: 2_000))
        let third = StoredProviderToken(token: "three", issuedAt: Timestamp(rawValue: 3_000))

        #expect(try await tokens.providerToken(keyID: "K", teamID: "T") == nil)
        #expect(try await tokens.replaceProviderToken(keyID: "K", teamID: "T", seen: nil, with: first) == first)
        #expect(try await tokens.replaceProviderToken(keyID: "K", teamID: "T", seen: nil, with: second) == first)
        let seen = first.issuedAt
        #expect(try await tokens.replaceProviderToken(keyID: "K", teamID: "T", seen: seen, with: second) == second)
        #expect(try await tokens.replaceProviderToken(keyID: "K", teamID: "T", seen: seen, with: third) == second)

        let restarted = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        #expect(try await restarted.providerToken(keyID: "K", teamID: "T") == second)
        #expect(try await restarted.providerToken(keyID: "K2", teamID: "T") == nil)
    }

    @Test func `a token of another master key is as good as none`() async throws {
        let registry = try await Registry()
        let old = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(1))
        let new = ProviderTokens(store: registry.stores.providerTokens, vault: try vault(2))
        let first = StoredProviderToken(token: "one", issuedAt: Timestamp(rawValue: 1_000))
        let second = StoredProviderToken(token: "two", issuedAt: Timestamp(rawValue: 2_000))
        _ = try await old.replaceProviderToken(keyID: "K", teamID: "T", seen: nil, with: first)

        #expect(try await new.providerToken(keyID: "K", teamID: "T") == nil)
        #expect(try await new.replaceProviderToken(keyID: "K", teamID: "T", seen: nil, with: second) == second)
        #expect(try await new.providerToken(keyID: "K", teamID: "T") == second)
    }

    private func vault(_ byte: UInt8) throws -> Vault {
        try #require(Vault(masterKey: Array(repeating: byte, count: 32)))
    }
}
