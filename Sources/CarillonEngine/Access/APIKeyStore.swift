package import CarillonModel
package import CarillonOperatorModel

/// An API key as it is stored.
package struct StoredAPIKey: Hashable, Sendable {
    package var key: APIKey
    package var secretHash: SecretHash

    package init(key: APIKey, secretHash: SecretHash) {
        self.key = key
        self.secretHash = secretHash
    }
}

/// A key whose secret is stored, sealed, until it is used for the first time.
package struct UnusedAPIKey: Hashable, Sendable {
    package var key: APIKey
    package var sealedSecret: [UInt8]

    package init(key: APIKey, sealedSecret: [UInt8]) {
        self.key = key
        self.sealedSecret = sealedSecret
    }
}

/// The result of deleting a key.
package enum APIKeyDeletion: Hashable, Sendable {
    case deleted
    case unknown
    /// Nothing was deleted: no other unexpired key of the server has the scope `admin`.
    case isLastAdministrator
}

/// Stores API keys.
package protocol APIKeyStore: Sendable {
    /// Saves a new key.
    ///
    /// - Returns: False when its App does not exist; nothing is saved then.
    func insert(_ key: StoredAPIKey, for request: IdempotentRequest<Void>?) async throws(StoreError) -> Bool

    /// Saves a key if there is none at all, in one transaction.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sealedSecret: Its secret as the vault seals it, stored until the key is used.
    /// - Returns: The first key with its sealed secret: the new one, or a former one that was never used; `nil` when
    ///   there are other keys, or it was used.
    /// - Throws: ``StoreError``.
    func insertFirst(_ key: StoredAPIKey, sealedSecret: [UInt8]) async throws(StoreError) -> UnusedAPIKey?

    /// Records that a key was used, and deletes its stored secret.
    func markUsed(_ id: APIKeyID, at: Timestamp) async throws(StoreError)

    /// Returns the key of a secret, expired or not; `nil` when there is none.
    func key(secretHash: SecretHash) async throws(StoreError) -> APIKey?

    /// Returns keys ordered by id.
    ///
    /// - Parameters:
    ///   - app: The keys' App; `nil` for all keys.
    ///   - after: The last one of the page before.
    ///   - limit: The maximum number of keys.
    /// - Returns: The keys; empty when there are none.
    /// - Throws: ``StoreError``.
    func keys(app: AppID?, after: APIKeyID?, limit: Int) async throws(StoreError) -> [APIKey]

    /// Deletes a key unless it is the last administrator's; check and deletion are one transaction.
    ///
    /// - Parameters:
    ///   - id: The key.
    ///   - app: Only if it belongs to this App; `nil` for any key.
    ///   - now: The time that decides which keys have expired.
    /// - Returns: The result.
    /// - Throws: ``StoreError``.
    func delete(_ id: APIKeyID, app: AppID?, now: Timestamp) async throws(StoreError) -> APIKeyDeletion
}
