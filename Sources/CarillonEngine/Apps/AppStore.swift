package import CarillonModel
package import CarillonOperatorModel

/// What an App keeps secret, sealed but for the hash.
package struct SealedAppSecrets: Hashable, Sendable {
    package var keyHash: SecretHash
    package var identitySecret: [UInt8]
    package var receiptKey: [UInt8]
    /// What was replaced and may be taken still, the newest of a kind first.
    package var former: [FormerAppSecret] = []

    package init(keyHash: SecretHash, identitySecret: [UInt8], receiptKey: [UInt8]) {
        self.keyHash = keyHash
        self.identitySecret = identitySecret
        self.receiptKey = receiptKey
    }
}

/// A secret that was replaced, as it is kept.
package struct FormerAppSecret: Hashable, Sendable {
    package var key: FormerAppKey
    /// `nil` for an App key, of which there is only a hash.
    package var sealed: [UInt8]?

    package init(key: FormerAppKey, sealed: [UInt8]?) {
        self.key = key
        self.sealed = sealed
    }
}

/// What takes the place of an App's secrets; the others stay.
package struct NewAppSecrets: Hashable, Sendable {
    package var keyHash: SecretHash?
    package var identitySecret: [UInt8]?
    package var receiptKey: [UInt8]?
    /// Until when the former ones are taken; a kind that is not in it ends at once, with all former ones.
    package var ends: [AppKeyKind: Timestamp] = [:]

    package init() {}

    /// The kinds that are replaced.
    package var kinds: [AppKeyKind] {
        AppKeyKind.allCases.filter { kind in
            switch kind {
            case .appKey: keyHash != nil
            case .identitySecret: identitySecret != nil
            case .receiptKey: receiptKey != nil
            }
        }
    }
}

/// What came of replacing an App's secrets.
package enum AppKeyChange: Hashable, Sendable {
    /// The App as it is now.
    case changed(App?)
    /// There is no such App.
    case unknown
    /// Nothing was changed: too many former ones of this kind are taken still.
    case tooMany(AppKeyKind)
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

    /// The App of an App key, or of a former one that is taken still; `nil` when there is none.
    func app(keyHash: SecretHash, at now: Timestamp) async throws(StoreError) -> AppID?

    /// Apps in the order of their ids, after one, at most so many.
    func apps(after: AppID?, limit: Int) async throws(StoreError) -> [App]

    /// Changes what is named.
    ///
    /// - Returns: `nil` when there is no such App.
    func update(_ id: AppID, _ change: AppUpdate) async throws(StoreError) -> App?

    /// Puts new secrets in the place of the old ones, which go on until their ends, in one transaction.
    ///
    /// - Parameters:
    ///   - id: Whose.
    ///   - new: The new ones, and until when the old ones are taken.
    ///   - limit: How many former ones of a kind may be taken.
    ///   - now: Those that have ended are forgotten.
    /// - Returns: What came of it.
    /// - Throws: ``StoreError``.
    func rotate(
        _ id: AppID,
        _ new: NewAppSecrets,
        limit: Int,
        at now: Timestamp
    ) async throws(StoreError) -> AppKeyChange

    /// Forgets all former secrets of a kind.
    ///
    /// - Returns: `nil` when there is no such App.
    func endFormerKeys(_ kind: AppKeyKind, of id: AppID) async throws(StoreError) -> App?

    /// Forgets former secrets that have ended.
    func dropFormerKeys(of id: AppID, endedAt now: Timestamp) async throws(StoreError)

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
