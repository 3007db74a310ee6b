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
    /// - Returns: Whether it was kept.
    func insertFirst(_ key: StoredAPIKey) async throws(StoreError) -> Bool

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
