package import CarillonModel

/// A signed message to post.
package struct WebhookPost: Hashable, Sendable {
    /// The webhook's App.
    package var app: AppID
    package var url: String
    package var id: String
    package var timestamp: Timestamp
    /// The value of `webhook-signature`.
    package var signature: String
    package var body: [UInt8]

    package init(app: AppID, url: String, id: String, timestamp: Timestamp, signature: String, body: [UInt8]) {
        self.app = app
        self.url = url
        self.id = id
        self.timestamp = timestamp
        self.signature = signature
        self.body = body
    }
}

/// The result of a post.
package enum WebhookAnswer: Hashable, Sendable {
    /// The address answered; it may have asked for a delay before the next post.
    case answered(status: Int, retryAfter: Duration?)
    /// There was no answer, for a short reason without secrets.
    case failed(String)
}

/// The result of a post, with the beginning of the answer's body.
package struct WebhookReply: Hashable, Sendable {
    package var answer: WebhookAnswer
    /// At most ``WebhookAttempt/bodyLength`` characters; `nil` without a body of text.
    package var body: String?

    package init(_ answer: WebhookAnswer, body: String? = nil) {
        self.answer = answer
        self.body = body
    }
}

/// Posts messages to addresses that customers configured, and to no address of the server's own networks.
package protocol WebhookClient: Sendable {
    /// Why an address is forbidden, as text that follows "must"; `nil` when it is allowed.
    ///
    /// It checks only the text; the addresses of its name are checked before each post.
    func objection(to url: String) -> String?

    /// Posts and waits a few seconds for the answer; follows no redirects.
    func post(_ post: WebhookPost) async -> WebhookAnswer

    /// The same, with the beginning of the answer's body.
    func reply(to post: WebhookPost) async -> WebhookReply
}

extension WebhookClient {
    /// By default there is no body.
    package func reply(to post: WebhookPost) async -> WebhookReply { WebhookReply(await self.post(post)) }
}
