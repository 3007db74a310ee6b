public import CarillonModel

/// What APNs says about a push key: a request with a device token that cannot exist.
public struct PushKeyCheck: Hashable, Sendable, Codable {
    /// What was found.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// APNs accepts the key for the topic.
        case healthy
        /// The team's id is another one than the key's.
        case wrongTeam
        /// The key's id belongs to another key.
        case wrongKeyID
        /// The team's or the key's id is wrong; APNs does not say which.
        case wrongTeamOrKeyID
        /// APNs accepted the key before: it was revoked.
        case revoked
        /// The key is for the other environment.
        case wrongEnvironment
        /// The key may not push to the topic, or APNs does not know it.
        case wrongTopic
        /// The server's clock differs from APNs'.
        case clockOff
        /// APNs refuses for another reason.
        case refused
        /// APNs asks to wait.
        case busy
        /// There is no connection, or no answer.
        case unreachable
        /// The server cannot sign with the key.
        case unusable
    }

    /// The result in one of Apple's environments.
    public struct Environment: Hashable, Sendable, Codable {
        /// `production` or `sandbox`; `all` where both have one address.
        public var name: String
        /// What was found.
        public var state: State
        /// The reason as APNs wrote it, or why there is no connection.
        public var reason: String?
        /// The address that the host's name led to.
        public var address: String?
        /// The version of TLS.
        public var tlsVersion: String?
        /// The time from the request to its answer in milliseconds.
        public var latencyMilliseconds: Int?
        /// By how many seconds the server's clock is ahead of APNs'; missing when APNs does not send its time.
        public var clockOffsetSeconds: Int?

        /// Creates a result.
        ///
        /// - Parameters:
        ///   - name: The environment.
        ///   - state: What was found.
        ///   - reason: The reason as APNs wrote it.
        public init(name: String, state: State, reason: String? = nil) {
            self.name = name
            self.state = state
            self.reason = reason
        }
    }

    /// `healthy` when the key is so in one of the environments; otherwise what was found in the first one.
    public var state: State
    /// When it was checked.
    public var checkedAt: Timestamp
    /// The results by environment.
    public var environments: [Environment]

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - checkedAt: When it was checked.
    ///   - environments: The results, the most important one first; without any the key counts as unreachable.
    public init(checkedAt: Timestamp, environments: [Environment]) {
        self.checkedAt = checkedAt
        self.environments = environments
        let isHealthy = environments.contains { $0.state == .healthy }
        state = isHealthy ? .healthy : environments.first?.state ?? .unreachable
    }
}

/// A key that replaces an App's push key once APNs accepts it.
public struct PushKeyCandidate: Hashable, Sendable, Codable {
    /// The key's id at Apple.
    public var keyID: String
    /// The team's id.
    public var teamID: String
    /// The SHA-256 of the public key, in hexadecimal; missing when the server cannot open the key.
    public var fingerprint: String?
    /// When it was added.
    public var addedAt: Timestamp
    /// The Operator or the API key that added it.
    public var addedBy: String?
    /// The last check.
    public var check: PushKeyCheck?

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - keyID: The key's id at Apple.
    ///   - teamID: The team's id.
    ///   - addedAt: When it was added.
    public init(keyID: String, teamID: String, addedAt: Timestamp) {
        self.keyID = keyID
        self.teamID = teamID
        self.addedAt = addedAt
    }
}
