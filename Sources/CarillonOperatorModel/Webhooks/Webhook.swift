public import CarillonModel

/// What a webhook may be told of.
public enum WebhookTopic: String, Hashable, Sendable, Codable, CaseIterable {
    /// A Campaign's Occurrence is over: sent or cancelled.
    case campaignFinished = "campaign.finished"
    /// A Campaign was paused by the server, with an alarm.
    case campaignHalted = "campaign.halted"
    /// The push service took a notification.
    case deliveryAccepted = "delivery.accepted"
    /// A notification is over without being taken.
    case deliveryFailed = "delivery.failed"
    /// A rule kept a notification back.
    case deliverySkipped = "delivery.skipped"
    /// A notification failed because its device token is dead, malformed or another app's.
    case tokenInvalid = "token.invalid"
    /// A notification reached a phone.
    case eventReceived = "event.received"
    /// A notification was tapped.
    case eventOpened = "event.opened"
    /// A notification was thrown away.
    case eventDismissed = "event.dismissed"
    /// A notification launched the app.
    case eventLaunched = "event.launched"
    /// A button was pressed, or the app reported an action of its own; with the text, if one was typed.
    case eventAction = "event.action"
}

/// An address of a customer's back end that is told what happens.
public struct Webhook: Hashable, Sendable, Codable {
    /// Whether anything is sent to it.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is told.
        case active
        /// Nothing is gathered for it and nothing sent; ``Webhook/alarm`` says why, if nobody asked for it.
        case disabled
    }

    /// Its id.
    public var id: WebhookID
    /// Its App.
    public var app: AppID
    /// Where to.
    public var url: String
    /// What it is told of.
    public var topics: [WebhookTopic]
    /// Whether anything is sent to it.
    public var state: State
    /// Why it was disabled, when the server did it.
    public var alarm: String?
    /// How many attempts in a row have failed.
    public var failures: Int
    /// When it last answered as it should.
    public var lastSuccessAt: Timestamp?
    /// Until when the secret before the present one signs too.
    public var formerSecretUntil: Timestamp?
    /// When it was made.
    public var createdAt: Timestamp

    /// Makes a webhook that was told nothing yet.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - url: Where to.
    ///   - topics: What it is told of.
    ///   - createdAt: When it was made.
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
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// Where to: an `https` address of at most 2,000 characters.
    public var url: String
    /// What it is told of, at least one.
    public var topics: [WebhookTopic]

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - url: Where to.
    ///   - topics: What it is told of, at least one.
    public init(app: AppID? = nil, url: String, topics: [WebhookTopic]) {
        self.app = app
        self.url = url
        self.topics = topics
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, url, topics
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        guard let url = try fields.text(.url, 1...2_000) else { throw fields.failure(.url, "is required") }
        self.url = url
        topics = try fields.required(.topics)
        guard !topics.isEmpty else { throw fields.failure(.topics, "must name at least one topic") }
    }
}

/// The body of `PATCH /v1/webhooks/{webhook}`: what is missing stays as it is.
public struct WebhookUpdate: Hashable, Sendable, Codable {
    /// Where to.
    public var url: String?
    /// What it is told of, at least one.
    public var topics: [WebhookTopic]?
    /// `active` goes on with what waits and takes the alarm off.
    public var state: Webhook.State?

    /// Makes a change.
    public init(url: String? = nil, topics: [WebhookTopic]? = nil, state: Webhook.State? = nil) {
        self.url = url
        self.topics = topics
        self.state = state
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, topics, state
    }

    /// Reads a change strictly.
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

/// A webhook with its secret, which is shown once: when it is made and when it is rotated.
public struct WebhookSecret: Hashable, Sendable, Codable {
    /// The webhook.
    public var webhook: Webhook
    /// What messages are signed with: `whsec_` and 44 characters of base64.
    public var secret: String

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - secret: What messages are signed with.
    public init(webhook: Webhook, secret: String) {
        self.webhook = webhook
        self.secret = secret
    }
}
