public import CarillonModel

/// An attempt to deliver a message to a webhook.
public struct WebhookAttempt: Hashable, Sendable, Codable {
    /// How many attempts of a webhook are stored.
    public static let limit = 50
    /// Maximum length of ``body`` in characters.
    public static let bodyLength = 500

    /// The message, the same for every attempt.
    public var message: WebhookMessageID
    /// When the answer came, or was given up.
    public var at: Timestamp
    /// The answer's status.
    public var status: Int?
    /// The error when there was no answer.
    public var error: String?
    /// The beginning of the answer's body, as text.
    public var body: String?
    /// How long it took in milliseconds.
    public var milliseconds: Int

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - at: When the answer came.
    ///   - milliseconds: How long it took.
    public init(message: WebhookMessageID, at: Timestamp, milliseconds: Int) {
        self.message = message
        self.at = at
        self.milliseconds = milliseconds
    }
}

/// The answer to `GET /v1/webhooks/{webhook}/attempts`: at most ``WebhookAttempt/limit``.
public struct WebhookAttemptList: Hashable, Sendable, Codable {
    /// The attempts, the latest first.
    public var attempts: [WebhookAttempt]

    /// Creates a list.
    ///
    /// - Parameter attempts: The attempts, the latest first.
    public init(attempts: [WebhookAttempt]) { self.attempts = attempts }
}
