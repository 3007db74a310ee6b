package import CarillonModel
package import CarillonOperatorModel

/// A vendor API that an App has turned on, as it is stored.
package struct StoredVendorAPI: Hashable, Sendable {
    package var app: AppID
    package var api: VendorAPI
    package var keyHash: SecretHash
    /// `nil` for an API without a secret.
    package var secretHash: SecretHash?
    package var updatedAt: Timestamp
    /// `nil` for an API without an app code.
    package var coimotion: CoimotionSettings?

    package init(
        app: AppID,
        api: VendorAPI,
        keyHash: SecretHash,
        secretHash: SecretHash?,
        updatedAt: Timestamp,
        coimotion: CoimotionSettings? = nil
    ) {
        self.app = app
        self.api = api
        self.keyHash = keyHash
        self.secretHash = secretHash
        self.updatedAt = updatedAt
        self.coimotion = coimotion
    }

    /// The hash by which an app code leads to its App: case does not matter, as in names of hosts.
    package static func hash(ofCode code: String) -> SecretHash { SecretHash(of: code.lowercased()) }

    /// The API as V1 shows it.
    package var record: VendorAPIRecord {
        VendorAPIRecord(api: api, hasSecret: secretHash != nil, updatedAt: updatedAt, coimotion: coimotion)
    }
}

/// The result of turning a vendor API on.
package enum VendorAPIChange: Hashable, Sendable {
    case on
    /// There is no such App.
    case unknown
    /// Another App has the key.
    case keyTaken
    /// Another App has the app code.
    case codeTaken
}

/// Stores which vendor APIs Apps have turned on.
package protocol VendorAPIStore: Sendable {
    /// Turns an API on, or replaces its key and secret.
    func turnOn(_ api: StoredVendorAPI) async throws(StoreError) -> VendorAPIChange

    /// Turns an API off.
    ///
    /// - Returns: False when it was not on.
    func turnOff(_ api: VendorAPI, app: AppID) async throws(StoreError) -> Bool

    /// Returns the APIs that are on, ordered by name; `nil` when there is no such App.
    func vendorAPIs(of app: AppID) async throws(StoreError) -> [StoredVendorAPI]?

    /// Returns the API of a key; `nil` when no App has it.
    func vendorAPI(_ api: VendorAPI, keyHash: SecretHash) async throws(StoreError) -> StoredVendorAPI?

    /// Returns COIMOTION's API of an app code; `nil` when no App has it.
    func coimotion(codeHash: SecretHash) async throws(StoreError) -> StoredVendorAPI?
}
