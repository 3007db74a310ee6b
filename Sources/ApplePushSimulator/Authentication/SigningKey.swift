package import Crypto

/// A team's key for signing provider tokens, as Apple stores it.
package struct SigningKey: Sendable {
    /// The key's id at Apple, ten characters.
    package var keyID: String
    /// The id of the team that owns it, ten characters.
    package var teamID: String
    package var publicKey: P256.Signing.PublicKey
    /// The only environment of the key; nil for both, as older keys have.
    package var environment: PushEnvironment?
    /// The bundle identifiers of a topic-specific key; nil for all of the team's.
    package var topics: Set<String>?

    package init(
        keyID: String,
        teamID: String,
        publicKey: P256.Signing.PublicKey,
        environment: PushEnvironment? = nil,
        topics: Set<String>? = nil
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKey = publicKey
        self.environment = environment
        self.topics = topics
    }

    func allows(_ bundleID: String) -> Bool {
        topics?.contains(bundleID) ?? true
    }

    /// Whether both keys may be used on one connection: only keys of one team that are not topic-specific.
    func isRelated(to other: SigningKey) -> Bool {
        keyID == other.keyID || (topics == nil && other.topics == nil)
    }
}
