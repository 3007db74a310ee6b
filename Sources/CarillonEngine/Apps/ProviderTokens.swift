import CarillonBytes
package import CarillonModel

/// A provider token as it is stored.
package struct SealedProviderToken: Hashable, Sendable {
    package var sealed: [UInt8]
    package var issuedAt: Timestamp

    package init(sealed: [UInt8], issuedAt: Timestamp) {
        self.sealed = sealed
        self.issuedAt = issuedAt
    }
}

/// Stores sealed provider tokens.
package protocol SealedProviderTokenStore: Sendable {
    func token(of key: ProviderKey) async throws(StoreError) -> SealedProviderToken?

    /// Saves a token if the stored one was issued at a given time, or if there is none and none was expected; in one
    /// transaction.
    ///
    /// - Returns: The token stored afterwards.
    func replace(
        _ key: ProviderKey,
        issuedAt expected: Timestamp?,
        with new: SealedProviderToken
    ) async throws(StoreError) -> SealedProviderToken
}

/// Provider tokens, sealed with the vault: one per key, for all connections, nodes and restarts.
package struct ProviderTokens: ProviderTokenStore {
    private let store: any SealedProviderTokenStore
    private let vault: Vault

    package init(store: any SealedProviderTokenStore, vault: Vault) {
        self.store = store
        self.vault = vault
    }

    package func providerToken(of key: ProviderKey) async throws(StoreError) -> StoredProviderToken? {
        try await store.token(of: key).flatMap { open($0, of: key) }
    }

    package func replaceProviderToken(
        of key: ProviderKey,
        seen: Timestamp?,
        with new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken {
        var expected = seen
        if seen == nil, let kept = try await store.token(of: key) {
            // A token that was sealed with another master key counts as missing.
            if let winner = open(kept, of: key) { return winner }
            expected = kept.issuedAt
        }
        guard let sealed = try sealed(new, of: key) else { return try await unsavedToken(of: key, seen: seen, new) }
        guard let token = open(try await store.replace(key, issuedAt: expected, with: sealed), of: key) else {
            throw .failed("The provider token cannot be decrypted with this master key.")
        }
        return token
    }

    /// `nil` while this node's master key is not the store's.
    private func sealed(_ new: StoredProviderToken, of key: ProviderKey) throws(StoreError) -> SealedProviderToken? {
        do throws(StoreError) {
            let sealed = try vault.seal(Array(new.token.utf8), purpose: key.purpose)
            return SealedProviderToken(sealed: sealed, issuedAt: new.issuedAt)
        } catch {
            guard error == .staleMasterKey else { throw error }
            return nil
        }
    }

    /// Returns a newer token of another node, or the new one for this process alone, so that leased Chunks are sent.
    private func unsavedToken(
        of key: ProviderKey,
        seen: Timestamp?,
        _ new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken {
        guard let kept = try await store.token(of: key), seen.map({ kept.issuedAt > $0 }) ?? true,
            let winner = open(kept, of: key)
        else { return new }
        return winner
    }

    private func open(_ kept: SealedProviderToken, of key: ProviderKey) -> StoredProviderToken? {
        vault.open(kept.sealed, purpose: key.purpose).map { token in
            StoredProviderToken(token: String(decoding: token, as: UTF8.self), issuedAt: kept.issuedAt)
        }
    }
}

extension ProviderKey {
    /// The purpose under which a token is sealed: it differs for each key.
    var purpose: String {
        return "provider-token \(teamID) \(keyID) \(Hexadecimal.encode(publicKeyHash))"
    }
}
