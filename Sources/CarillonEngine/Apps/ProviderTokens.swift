package import CarillonModel

/// A provider token as the store has it.
package struct SealedProviderToken: Hashable, Sendable {
    package var sealed: [UInt8]
    package var issuedAt: Timestamp

    package init(sealed: [UInt8], issuedAt: Timestamp) {
        self.sealed = sealed
        self.issuedAt = issuedAt
    }
}

/// Keeps sealed provider tokens.
package protocol SealedProviderTokenStore: Sendable {
    func token(keyID: String, teamID: String) async throws(StoreError) -> SealedProviderToken?

    /// Keeps a token if the one there was issued at a given time, or if there is none and none was expected; in one
    /// transaction.
    ///
    /// - Returns: The token that is kept afterwards.
    func replace(
        keyID: String,
        teamID: String,
        issuedAt expected: Timestamp?,
        with new: SealedProviderToken
    ) async throws(StoreError) -> SealedProviderToken
}

/// Provider tokens, sealed with the vault: one a key, for all connections, nodes and restarts.
package struct ProviderTokens: ProviderTokenStore {
    private let store: any SealedProviderTokenStore
    private let vault: Vault

    package init(store: any SealedProviderTokenStore, vault: Vault) {
        self.store = store
        self.vault = vault
    }

    package func providerToken(keyID: String, teamID: String) async throws(StoreError) -> StoredProviderToken? {
        try await store.token(keyID: keyID, teamID: teamID).flatMap { open($0, keyID: keyID, teamID: teamID) }
    }

    package func replaceProviderToken(
        keyID: String,
        teamID: String,
        seen: Timestamp?,
        with new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken {
        var expected = seen
        if seen == nil, let kept = try await store.token(keyID: keyID, teamID: teamID) {
            // One that was sealed with another master key is as good as none.
            if let winner = open(kept, keyID: keyID, teamID: teamID) { return winner }
            expected = kept.issuedAt
        }
        let sealed = SealedProviderToken(
            sealed: vault.seal(Array(new.token.utf8), purpose: purpose(keyID, teamID)),
            issuedAt: new.issuedAt
        )
        let kept = try await store.replace(keyID: keyID, teamID: teamID, issuedAt: expected, with: sealed)
        guard let token = open(kept, keyID: keyID, teamID: teamID) else {
            throw .failed("The provider token cannot be decrypted with this master key.")
        }
        return token
    }

    private func open(_ kept: SealedProviderToken, keyID: String, teamID: String) -> StoredProviderToken? {
        vault.open(kept.sealed, purpose: purpose(keyID, teamID)).map { token in
            StoredProviderToken(token: String(decoding: token, as: UTF8.self), issuedAt: kept.issuedAt)
        }
    }

    private func purpose(_ keyID: String, _ teamID: String) -> String { "provider-token \(teamID) \(keyID)" }
}
