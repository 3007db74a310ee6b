public import CarillonModel

/// A message to a webhook that was not taken yet: a row of `GET /v1/webhooks/{webhook}/messages`.
public struct WebhookMessage: Hashable, Sendable, Codable {
    /// Where a message stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It will be tried again.
        case pending
        /// It was tried for a day; it waits to be replayed.
        case dead
    }

    /// Its id, which every attempt carries as `webhook-id`.
    public var id: WebhookMessageID
    /// Where it stands.
    public var state: State
    /// How many attempts there were.
    public var attempts: Int
    /// When it was put together.
    public var createdAt: Timestamp
    /// When the next attempt is, of a pending one.
    public var nextAttemptAt: Timestamp?
    /// The status of the last answer.
    public var lastStatus: Int?
    /// What was wrong when there was no answer.
    public var lastError: String?

    /// Makes a message of which nothing is known but that it waits.
    public init(id: WebhookMessageID, state: State, attempts: Int, createdAt: Timestamp) {
        self.id = id
        self.state = state
        self.attempts = attempts
        self.createdAt = createdAt
    }
}

/// How a test delivery went: the answer to `POST /v1/webhooks/{webhook}/test`.
public struct WebhookTest: Hashable, Sendable, Codable {
    /// Whether the answer's status was 200 through 299.
    public var isTaken: Bool
    /// The answer's status.
    public var status: Int?
    /// What was wrong when there was no answer.
    public var error: String?

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - isTaken: Whether the answer's status was 200 through 299.
    ///   - status: The answer's status.
    ///   - error: What was wrong when there was no answer.
    public init(isTaken: Bool, status: Int?, error: String?) {
        self.isTaken = isTaken
        self.status = status
        self.error = error
    }
}
