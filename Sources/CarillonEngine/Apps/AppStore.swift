package import CarillonModel
package import CarillonOperatorModel

/// What an App keeps secret, sealed but for the hash.
package struct SealedAppSecrets: Hashable, Sendable {
    package var keyHash: SecretHash
    package var identitySecret: [UInt8]
    package var receiptKey: [UInt8]

    package init(keyHash: SecretHash, identitySecret: [UInt8], receiptKey: [UInt8]) {
        self.keyHash = keyHash
        self.identitySecret = identitySecret
        self.receiptKey = receiptKey
    }
}

/// An App with its secrets, as it is kept.
package struct StoredApp: Hashable, Sendable {
    package var app: App
    package var secrets: SealedAppSecrets

    package init(app: App, secrets: SealedAppSecrets) {
        self.app = app
        self.secrets = secrets
    }
}

/// The key that Apple made, as it is kept.
package struct StoredPushKey: Hashable, Sendable {
    package var keyID: String
    package var teamID: String
    package var sealedPrivateKey: [UInt8]
    /// The App's bundle id.
    package var topic: String
    /// When it was taken.
    package var updatedAt: Timestamp

    package init(keyID: String, teamID: String, sealedPrivateKey: [UInt8], topic: String, updatedAt: Timestamp) {
        self.keyID = keyID
        self.teamID = teamID
        self.sealedPrivateKey = sealedPrivateKey
        self.topic = topic
        self.updatedAt = updatedAt
    }
}

/// Keeps Apps and their keys.
package protocol AppStore: Sendable {
    func insert(_ app: StoredApp, for request: IdempotentRequest<Void>?) async throws(StoreError)

    /// An App; `nil` when there is none.
    func app(_ id: AppID) async throws(StoreError) -> App?

    /// An App with its secrets; `nil` when there is none.
    func storedApp(_ id: AppID) async throws(StoreError) -> StoredApp?

    /// The App of an App key; `nil` when there is none.
    func app(keyHash: SecretHash) async throws(StoreError) -> AppID?

    /// Apps in the order of their ids, after one, at most so many.
    func apps(after: AppID?, limit: Int) async throws(StoreError) -> [App]

    /// Changes what is named.
    ///
    /// - Returns: `nil` when there is no such App.
    func update(_ id: AppID, _ change: AppUpdate) async throws(StoreError) -> App?

    /// Puts new keys in the place of the old ones; the receipt key stays, so that receipts on phones stay true.
    ///
    /// - Returns: `nil` when there is no such App.
    func rotate(_ id: AppID, keyHash: SecretHash, identitySecret: [UInt8]) async throws(StoreError) -> App?

    /// Puts the key that Apple made in the place of the one before.
    ///
    /// - Returns: `nil` when there is no such App.
    func setPushKey(
        _ id: AppID,
        keyID: String,
        teamID: String,
        sealedPrivateKey: [UInt8],
        at: Timestamp
    ) async throws(StoreError) -> App?

    /// The key that Apple made; `nil` when the App is unknown or has none.
    func pushKey(_ id: AppID) async throws(StoreError) -> StoredPushKey?
}

extension AppStore {
    /// Keeps an App that no request may ask for again.
    package func insert(_ app: StoredApp) async throws(StoreError) { try await insert(app, for: nil) }
}
