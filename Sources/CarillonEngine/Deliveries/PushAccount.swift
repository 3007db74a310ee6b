package import CarillonModel

/// What an App sends with: the key that Apple made for its team, and its topic.
package struct PushAccount: Hashable, Sendable {
    package var app: AppID
    /// The bundle id.
    package var topic: String
    package var keyID: String
    package var teamID: String
    /// The private key's PEM text, which is a secret; empty when it cannot be decrypted.
    package var privateKey: String

    package init(app: AppID, topic: String, keyID: String, teamID: String, privateKey: String) {
        self.app = app
        self.topic = topic
        self.keyID = keyID
        self.teamID = teamID
        self.privateKey = privateKey
    }
}

/// Where a sender finds what an App sends with.
package protocol PushAccounts: Sendable {
    /// The App's account as it is now; a caller may ask for every batch, the answer is cached.
    ///
    /// - Returns: `nil` when the App is unknown or has no key; an account with an empty ``PushAccount/privateKey`` when
    ///   the master key does not open it, which no later attempt changes.
    /// - Throws: ``StoreError`` when the store does not answer.
    func account(for app: AppID) async throws(StoreError) -> PushAccount?
}

/// A provider token as it is kept: one a key, shared by all connections, nodes and restarts.
package struct StoredProviderToken: Hashable, Sendable {
    package var token: String
    package var issuedAt: Timestamp

    package init(token: String, issuedAt: Timestamp) {
        self.token = token
        self.issuedAt = issuedAt
    }
}

/// What signs provider tokens: Apple's two ids, and the key itself.
///
/// The ids alone name nothing: an App may have another App's ids and a key of its own, by a slip or on purpose, and its
/// tokens must neither serve that App nor take the place of that App's.
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

/// Keeps provider tokens, encrypted.
package protocol ProviderTokenStore: Sendable {
    /// The token of a key, `nil` when none was kept or it cannot be decrypted.
    func providerToken(of key: ProviderKey) async throws(StoreError) -> StoredProviderToken?

    /// Keeps a new token if the kept one is still the one that was seen; of several callers one wins.
    ///
    /// - Parameters:
    ///   - key: What signed it.
    ///   - seen: When the token that is to be replaced was issued; `nil` when there was none.
    ///   - new: What to keep.
    /// - Returns: The token that is kept afterwards: the new one, or the winner's.
    /// - Throws: ``StoreError``; the token that was kept is still kept then.
    func replaceProviderToken(
        of key: ProviderKey,
        seen: Timestamp?,
        with new: StoredProviderToken
    ) async throws(StoreError) -> StoredProviderToken
}
