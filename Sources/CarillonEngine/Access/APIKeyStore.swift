package import CarillonModel
package import CarillonOperatorModel

/// An API key as it is kept.
package struct StoredAPIKey: Hashable, Sendable {
    package var key: APIKey
    package var secretHash: SecretHash

    package init(key: APIKey, secretHash: SecretHash) {
        self.key = key
        self.secretHash = secretHash
    }
}

/// A key whose secret is kept, sealed, until it is used for the first time.
package struct UnusedAPIKey: Hashable, Sendable {
    package var key: APIKey
    package var sealedSecret: [UInt8]

    package init(key: APIKey, sealedSecret: [UInt8]) {
        self.key = key
        self.sealedSecret = sealedSecret
    }
}

/// What became of a key that was to be deleted.
package enum APIKeyDeletion: Hashable, Sendable {
    case deleted
    case unknown
    /// It stays: no other unexpired key of the server has the scope `admin`.
    case isLastAdministrator
}

/// Keeps API keys.
package protocol APIKeyStore: Sendable {
    /// Keeps a new key.
    ///
    /// - Returns: False when its App does not exist; nothing is kept then.
    func insert(_ key: StoredAPIKey, for request: IdempotentRequest<Void>?) async throws(StoreError) -> Bool

    /// Keeps a key if there is none at all, in one transaction.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sealedSecret: Its secret as the vault seals it, which is kept until the key is used.
    /// - Returns: The first key with its sealed secret, the new one or the one that was there and was never used; `nil`
    ///   when there are other keys, or it was used.
    /// - Throws: ``StoreError``.
    func insertFirst(_ key: StoredAPIKey, sealedSecret: [UInt8]) async throws(StoreError) -> UnusedAPIKey?

    /// Notes that a key was used; a secret that was kept for it is forgotten.
    func markUsed(_ id: APIKeyID, at: Timestamp) async throws(StoreError)

    /// The key of a secret, expired or not; `nil` when there is none.
    func key(secretHash: SecretHash) async throws(StoreError) -> APIKey?

    /// Keys in the order of their ids.
    ///
    /// - Parameters:
    ///   - app: Whose; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: How many at most.
    /// - Returns: The keys; empty when there are none.
    /// - Throws: ``StoreError``.
    func keys(app: AppID?, after: APIKeyID?, limit: Int) async throws(StoreError) -> [APIKey]

    /// Forgets a key, but not the last administrator's: the check and the deletion are one transaction.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - app: Only if it belongs to this App; `nil` for any key.
    ///   - now: Tells which keys have expired.
    /// - Returns: What became of it.
    /// - Throws: ``StoreError``.
    func delete(_ id: APIKeyID, app: AppID?, now: Timestamp) async throws(StoreError) -> APIKeyDeletion
}
