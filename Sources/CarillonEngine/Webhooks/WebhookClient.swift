package import CarillonModel

/// A signed message on its way.
package struct WebhookPost: Hashable, Sendable {
    /// Whose webhook it is.
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

/// What came of a post.
package enum WebhookAnswer: Hashable, Sendable {
    /// It was answered; the address may have said after how long it may be asked again.
    case answered(status: Int, retryAfter: Duration?)
    /// It was not answered, for a reason in a few words without secrets.
    case failed(String)
}

/// Posts messages to addresses that customers named, and to no address of the server's own networks.
package protocol WebhookClient: Sendable {
    /// Why an address is never posted to, in words that follow "must"; `nil` when it may be.
    ///
    /// It looks at the text alone; what its name resolves to is looked at before each post.
    func objection(to url: String) -> String?

    /// Posts and waits for the answer, some seconds at most; follows no redirection.
    func post(_ post: WebhookPost) async -> WebhookAnswer
}
