public import CarillonModel

/// The events that a webhook may subscribe to.
public enum WebhookTopic: String, Hashable, Sendable, Codable, CaseIterable {
    /// A Campaign's Occurrence ended: sent or cancelled.
    case campaignFinished = "campaign.finished"
    /// A Campaign was paused by the server, with an alarm.
    case campaignHalted = "campaign.halted"
    /// The push service accepted a notification.
    case deliveryAccepted = "delivery.accepted"
    /// A notification failed permanently.
    case deliveryFailed = "delivery.failed"
    /// A rule excluded a notification.
    case deliverySkipped = "delivery.skipped"
    /// A notification failed because its device token is invalid, malformed or another app's.
    case tokenInvalid = "token.invalid"
    /// A notification reached a phone.
    case eventReceived = "event.received"
    /// A notification was tapped.
    case eventOpened = "event.opened"
    /// A notification was dismissed.
    case eventDismissed = "event.dismissed"
    /// A notification launched the app.
    case eventLaunched = "event.launched"
    /// A button was pressed, or the app reported an action of its own; with the text of a reply.
    case eventAction = "event.action"
}

/// An address of a customer's back end that is notified of events.
public struct Webhook: Hashable, Sendable, Codable {
    /// Whether it is active.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Events are sent to it.
        case active
        /// Nothing is collected for it or sent; ``Webhook/alarm`` has the reason when the server disabled it.
        case disabled
    }

    /// Its id.
    public var id: WebhookID
    /// Its App.
    public var app: AppID
    /// Its address.
    public var url: String
    /// The events it is notified of.
    public var topics: [WebhookTopic]
    /// Whether it is active.
    public var state: State
    /// The reason when the server disabled it.
    public var alarm: String?
    /// Number of consecutive failed attempts.
    public var failures: Int
    /// When it last answered successfully.
    public var lastSuccessAt: Timestamp?
    /// Until when the previous secret signs too.
    public var formerSecretUntil: Timestamp?
    /// When it was created.
    public var createdAt: Timestamp

    /// Creates a webhook without any attempts.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - url: Its address.
    ///   - topics: The events it is notified of.
    ///   - createdAt: When it was created.
    public init(id: WebhookID, app: AppID, url: String, topics: [WebhookTopic], createdAt: Timestamp) {
        self.id = id
        self.app = app
        self.url = url
        self.topics = topics
        state = .active
        failures = 0
        self.createdAt = createdAt
    }
}

/// The body of `POST /v1/webhooks`.
public struct WebhookRequest: Hashable, Sendable, Codable {
    /// An `https` address of at most 2,000 characters.
    public var url: String
    /// The events it is notified of, at least one.
    public var topics: [WebhookTopic]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Its address.
    ///   - topics: The events it is notified of, at least one.
    public init(url: String, topics: [WebhookTopic]) {
        self.url = url
        self.topics = topics
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, topics
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let url = try fields.text(.url, 1...2_000) else { throw fields.failure(.url, "is required") }
        self.url = url
        topics = try fields.required(.topics)
        guard !topics.isEmpty else { throw fields.failure(.topics, "must name at least one topic") }
    }
}

/// The body of `PATCH /v1/webhooks/{webhook}`: missing fields stay unchanged.
public struct WebhookUpdate: Hashable, Sendable, Codable {
    /// Its address.
    public var url: String?
    /// The events it is notified of, at least one.
    public var topics: [WebhookTopic]?
    /// `active` resumes the waiting messages and clears the alarm.
    public var state: Webhook.State?

    /// Creates a change.
    public init(url: String? = nil, topics: [WebhookTopic]? = nil, state: Webhook.State? = nil) {
        self.url = url
        self.topics = topics
        self.state = state
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, topics, state
    }

    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        url = try fields.text(.url, 1...2_000)
        topics = try fields.optional(.topics)
        state = try fields.optional(.state)
        guard topics.map(\.isEmpty) != true else { throw fields.failure(.topics, "must name at least one topic") }
    }
}

/// A webhook with its secret, which is returned only when it is created or rotated.
public struct WebhookSecret: Hashable, Sendable, Codable {
    /// The webhook.
    public var webhook: Webhook
    /// The secret that signs messages: `whsec_` and 44 characters of base64.
    public var secret: String

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - secret: The secret that signs messages.
    public init(webhook: Webhook, secret: String) {
        self.webhook = webhook
        self.secret = secret
    }
}
