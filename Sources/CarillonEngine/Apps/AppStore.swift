package import CarillonModel
package import CarillonOperatorModel

/// An App's secrets, sealed except for the hash.
package struct SealedAppSecrets: Hashable, Sendable {
    package var keyHash: SecretHash
    package var identitySecret: [UInt8]
    package var receiptKey: [UInt8]
    /// Replaced secrets that may still be accepted, the newest of a kind first.
    package var former: [FormerAppSecret] = []

    package init(keyHash: SecretHash, identitySecret: [UInt8], receiptKey: [UInt8]) {
        self.keyHash = keyHash
        self.identitySecret = identitySecret
        self.receiptKey = receiptKey
    }
}

/// A replaced secret as it is stored.
package struct FormerAppSecret: Hashable, Sendable {
    package var key: FormerAppKey
    /// `nil` for an App key, of which only the hash is stored.
    package var sealed: [UInt8]?

    package init(key: FormerAppKey, sealed: [UInt8]?) {
        self.key = key
        self.sealed = sealed
    }
}

/// Replacements of an App's secrets; the others stay.
package struct NewAppSecrets: Hashable, Sendable {
    package var keyHash: SecretHash?
    package var identitySecret: [UInt8]?
    package var receiptKey: [UInt8]?
    /// Until when the former ones are accepted; a kind without an end expires at once, with all former ones.
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

/// The result of replacing an App's secrets.
package enum AppKeyChange: Hashable, Sendable {
    /// The App after the change.
    case changed(App?)
    /// There is no such App.
    case unknown
    /// Nothing was changed: too many former ones of this kind are still accepted.
    case tooMany(AppKeyKind)
}

/// An App with its secrets, as it is stored.
package struct StoredApp: Hashable, Sendable {
    package var app: App
    package var secrets: SealedAppSecrets

    package init(app: App, secrets: SealedAppSecrets) {
        self.app = app
        self.secrets = secrets
    }
}

/// An App's push key as it is stored.
package struct StoredPushKey: Hashable, Sendable {
    package var keyID: String
    package var teamID: String
    package var sealedPrivateKey: [UInt8]
    /// The App's bundle id.
    package var topic: String
    /// When it was set.
    package var updatedAt: Timestamp

    package init(keyID: String, teamID: String, sealedPrivateKey: [UInt8], topic: String, updatedAt: Timestamp) {
        self.keyID = keyID
        self.teamID = teamID
        self.sealedPrivateKey = sealedPrivateKey
        self.topic = topic
        self.updatedAt = updatedAt
    }
}

/// Stores Apps and their keys.
package protocol AppStore: Sendable {
    func insert(_ app: StoredApp, for request: IdempotentRequest<Void>?) async throws(StoreError)

    /// Returns an App; `nil` when there is none.
    func app(_ id: AppID) async throws(StoreError) -> App?

    /// Returns an App with its secrets; `nil` when there is none.
    func storedApp(_ id: AppID) async throws(StoreError) -> StoredApp?

    /// Returns the App of an App key, or of a former one that is still accepted; `nil` when there is none.
    func app(keyHash: SecretHash, at now: Timestamp) async throws(StoreError) -> AppID?

    /// Returns up to `limit` Apps ordered by id, after one.
    func apps(after: AppID?, limit: Int) async throws(StoreError) -> [App]

    /// Changes the fields that are set.
    ///
    /// - Returns: `nil` when there is no such App.
    func update(_ id: AppID, _ change: AppUpdate) async throws(StoreError) -> App?

    /// Pauses the App's sending, unless it is paused, or resumes it.
    ///
    /// - Parameters:
    ///   - id: The App.
    ///   - since: When it is paused; `nil` resumes it.
    ///   - actor: The Operator or API key that pauses it.
    /// - Returns: The App; `nil` when there is none.
    /// - Throws: ``StoreError``.
    func setSendingPaused(_ id: AppID, since: Timestamp?, by actor: String?) async throws(StoreError) -> App?

    /// Replaces secrets in one transaction; the old ones stay valid until their ends.
    ///
    /// - Parameters:
    ///   - id: The App.
    ///   - new: The new ones, and until when the old ones are accepted.
    ///   - limit: The maximum number of former ones of a kind.
    ///   - now: The time; former ones that have ended are deleted.
    /// - Returns: The result.
    /// - Throws: ``StoreError``.
    func rotate(
        _ id: AppID,
        _ new: NewAppSecrets,
        limit: Int,
        at now: Timestamp
    ) async throws(StoreError) -> AppKeyChange

    /// Deletes all former secrets of a kind.
    ///
    /// - Returns: `nil` when there is no such App.
    func endFormerKeys(_ kind: AppKeyKind, of id: AppID) async throws(StoreError) -> App?

    /// Deletes former secrets that have ended.
    func dropFormerKeys(of id: AppID, endedAt now: Timestamp) async throws(StoreError)

    /// Replaces the App's push key.
    ///
    /// - Returns: `nil` when there is no such App.
    func setPushKey(
        _ id: AppID,
        keyID: String,
        teamID: String,
        sealedPrivateKey: [UInt8],
        at: Timestamp
    ) async throws(StoreError) -> App?

    /// Returns the push key; `nil` when the App is unknown or has none.
    func pushKey(_ id: AppID) async throws(StoreError) -> StoredPushKey?
}

extension AppStore {
    /// Saves an App without an idempotency key.
    package func insert(_ app: StoredApp) async throws(StoreError) { try await insert(app, for: nil) }
}
