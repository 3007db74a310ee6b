package import CarillonModel
package import CarillonOperatorModel

/// A push key as it is stored, with what is known of it.
package struct KeptPushKey: Hashable, Sendable {
    package var keyID: String
    package var teamID: String
    package var sealedPrivateKey: [UInt8]
    /// When it was set.
    package var addedAt: Timestamp
    /// The Operator or the API key that added it.
    package var addedBy: String?
    /// The key's id in the name of the file; `nil` when it was not told.
    package var fileKeyID: String?
    /// The last check.
    package var check: PushKeyCheck?

    package init(
        keyID: String,
        teamID: String,
        sealedPrivateKey: [UInt8],
        addedAt: Timestamp,
        addedBy: String? = nil,
        fileKeyID: String? = nil,
        check: PushKeyCheck? = nil
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.sealedPrivateKey = sealedPrivateKey
        self.addedAt = addedAt
        self.addedBy = addedBy
        self.fileKeyID = fileKeyID
        self.check = check
    }
}

/// The push keys of an App.
package struct AppPushKeys: Hashable, Sendable {
    /// The App's bundle id.
    package var topic: String
    package var inUse: KeptPushKey?
    /// What replaces it once APNs accepts it.
    package var candidate: KeptPushKey?

    package init(topic: String, inUse: KeptPushKey?, candidate: KeptPushKey?) {
        self.topic = topic
        self.inUse = inUse
        self.candidate = candidate
    }
}

/// Stores push keys, their candidates and their checks.
package protocol PushKeyStore: Sendable {
    /// Returns an App's keys; `nil` when there is no such App.
    func keys(of app: AppID) async throws(StoreError) -> AppPushKeys?

    /// Saves a key as the one in use when there is none, and otherwise as the candidate; in one transaction.
    ///
    /// - Returns: Whether it is in use; `nil` when there is no such App.
    func add(_ key: KeptPushKey, to app: AppID) async throws(StoreError) -> Bool?

    /// Puts the candidate in the place of the key in use, unless another one was added meanwhile.
    ///
    /// - Returns: False when it is no longer the candidate.
    func promote(_ candidate: KeptPushKey, of app: AppID) async throws(StoreError) -> Bool

    /// Deletes the candidate.
    ///
    /// - Returns: False when there is none.
    func dropCandidate(of app: AppID) async throws(StoreError) -> Bool

    /// Saves who added the key in use, unless another one was set since.
    func note(addedBy: String?, fileKeyID: String?, ofKeyAddedAt time: Timestamp, app: AppID) async throws(StoreError)

    /// Saves a check, unless another key is in its place.
    func save(_ check: PushKeyCheck, of key: KeptPushKey, isInUse: Bool, app: AppID) async throws(StoreError)

    /// Returns Apps whose key in use was not checked since a time, ordered by id.
    func appsToCheck(before time: Timestamp, after: AppID?, limit: Int) async throws(StoreError) -> [AppID]

    /// When the last provider token of a key was issued; `nil` when there is none.
    func lastToken(of key: ProviderKey) async throws(StoreError) -> Timestamp?
}
