package import Crypto

/// A key that a team signs provider tokens with, as Apple knows it.
package struct SigningKey: Sendable {
    /// Ten characters, Apple's name for the key.
    package var keyID: String
    /// Ten characters, the team that owns it.
    package var teamID: String
    package var publicKey: P256.Signing.PublicKey
    /// The one environment the key is for; nil: both, as older keys are.
    package var environment: PushEnvironment?
    /// The bundle identifiers of a topic-specific key; nil: all of the team's.
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

    /// Keys of one team that are not tied to topics may take turns on a connection; others stand alone.
    func isRelated(to other: SigningKey) -> Bool {
        keyID == other.keyID || (topics == nil && other.topics == nil)
    }
}
