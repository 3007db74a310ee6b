public import CarillonModel

/// A message between Users: a row of `GET /v1/user-messages`.
///
/// When one of the two was erased, it has neither names nor text.
public struct ListedUserMessage: Hashable, Sendable, Codable {
    /// Its id.
    public var id: CampaignID
    /// Its App.
    public var app: AppID
    /// The sender.
    public var from: UserID?
    /// The recipient.
    public var to: UserID?
    /// Its title.
    public var title: String?
    /// Its text.
    public var body: String?
    /// Its state; `sent` once every Device of the User has an outcome.
    public var state: Campaign.State
    /// When it was accepted.
    public var createdAt: Timestamp
    /// When every Device of the User had an outcome.
    public var finishedAt: Timestamp?

    /// Creates a row from the message's Campaign.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - audience: The recipient.
    ///   - message: The content, with the sender.
    ///   - state: Its state.
    ///   - createdAt: When it was accepted.
    ///   - finishedAt: When it ended.
    package init(
        id: CampaignID,
        app: AppID,
        audience: Audience,
        message: Message,
        state: Campaign.State,
        createdAt: Timestamp,
        finishedAt: Timestamp?
    ) {
        self.id = id
        self.app = app
        if case .string(let user)? = message.data["from"] { from = UserID(rawValue: user) }
        if case .users(let users) = audience { to = users.first }
        title = message.content[Message.defaultLanguage]?.title
        body = message.content[Message.defaultLanguage]?.body
        self.state = state
        self.createdAt = createdAt
        self.finishedAt = finishedAt
    }
}
