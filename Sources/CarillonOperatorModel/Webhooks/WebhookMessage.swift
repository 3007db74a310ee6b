public import CarillonModel

/// A message that a webhook has not accepted yet: a row of `GET /v1/webhooks/{webhook}/messages`.
public struct WebhookMessage: Hashable, Sendable, Codable {
    /// The state of a message.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It will be retried.
        case pending
        /// It was retried for a day; it can be replayed.
        case dead
    }

    /// Its id, which every attempt carries as `webhook-id`.
    public var id: WebhookMessageID
    /// Its state.
    public var state: State
    /// Number of attempts.
    public var attempts: Int
    /// When it was created.
    public var createdAt: Timestamp
    /// The next attempt of a pending one.
    public var nextAttemptAt: Timestamp?
    /// The status of the last answer.
    public var lastStatus: Int?
    /// The error of the last attempt when there was no answer.
    public var lastError: String?

    /// Creates a message.
    public init(id: WebhookMessageID, state: State, attempts: Int, createdAt: Timestamp) {
        self.id = id
        self.state = state
        self.attempts = attempts
        self.createdAt = createdAt
    }
}

/// The result of a test delivery: the answer to `POST /v1/webhooks/{webhook}/test`.
public struct WebhookTest: Hashable, Sendable, Codable {
    /// Whether the answer's status was 200 through 299.
    public var isTaken: Bool
    /// The answer's status.
    public var status: Int?
    /// The error when there was no answer.
    public var error: String?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - isTaken: Whether the answer's status was 200 through 299.
    ///   - status: The answer's status.
    ///   - error: The error when there was no answer.
    public init(isTaken: Bool, status: Int?, error: String?) {
        self.isTaken = isTaken
        self.status = status
        self.error = error
    }
}
