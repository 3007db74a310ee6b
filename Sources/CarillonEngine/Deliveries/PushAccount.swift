package import CarillonModel
import CarillonOperatorModel

/// An App's credentials: its push key and its topic.
package struct PushAccount: Hashable, Sendable {
    package var app: AppID
    /// The bundle id.
    package var topic: String
    package var keyID: String
    package var teamID: String
    /// The private key as PEM text, a secret; empty when it cannot be decrypted.
    package var privateKey: String

    /// Whether everything is sent to the simulated APNs inside the server.
    package var usesSimulator: Bool { teamID == PushKey.simulatorTeamID }

    package init(app: AppID, topic: String, keyID: String, teamID: String, privateKey: String) {
        self.app = app
        self.topic = topic
        self.keyID = keyID
        self.teamID = teamID
        self.privateKey = privateKey
    }
}

/// Where a sender finds an App's credentials.
package protocol PushAccounts: Sendable {
    /// Returns the App's current account; it is cached, so a caller may ask for every batch.
    ///
    /// - Returns: `nil` when the App is unknown or has no key; an account with an empty ``PushAccount/privateKey`` when
    ///   the master key does not open it, which no later attempt changes.
    /// - Throws: ``StoreError`` when the store cannot be read.
    func account(for app: AppID) async throws(StoreError) -> PushAccount?
}

/// A stored provider token: one per key, shared by all connections, nodes and restarts.
package struct StoredProviderToken: Hashable, Sendable {
    package var token: String
    package var issuedAt: Timestamp

    package init(token: String, issuedAt: Timestamp) {
        self.token = token
        self.issuedAt = issuedAt
    }
}

/// Identifies the signer of provider tokens by Apple's two ids and the key itself.
///
/// The ids alone are not unique: an App may have another App's ids and a key of its own, by mistake or on purpose. Its
/// tokens must neither be used for that App nor replace that App's tokens.
package struct ProviderKey: Hashable, Sendable {
    package var keyID: String
    package var teamID: String
    /// SHA-256 of the public key, 32 bytes.
    package var publicKeyHash: [UInt8]

    package init(keyID: String, teamID: String, publicKeyHash: [UInt8]) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKeyHash = publicKeyHash
    }
}

/// Stores provider tokens, encrypted.
package protocol ProviderTokenStore: Sendable {
    /// Returns the token of a key; `nil` when there is none or it cannot be decrypted.
    func providerToken(of key: ProviderKey) async throws(StoreError) -> StoredProviderToken?

    /// Saves a new token if the stored one is still the one that the caller saw; of several callers one wins.
    ///
    /// - Parameters:
    ///   - key: The signer.
    ///   - seen: When the token to be replaced was issued; `nil` when there was none.
    ///   - new: The new token.
    /// - Returns: The token stored afterwards: the new one, or the winner's.
    /// - Throws: ``StoreError``; the stored token is unchanged then.
    func replaceProviderToken(
        of key: ProviderKey,
        seen: Timestamp?,
        with new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken
}
