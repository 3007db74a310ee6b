public import CarillonModel

/// A message of a User to a User: a row of `GET /v1/user-messages`.
///
/// What was taken away, because one of the two was erased, says neither who nor what.
public struct ListedUserMessage: Hashable, Sendable, Codable {
    /// Its id.
    public var id: CampaignID
    /// Its App.
    public var app: AppID
    /// Who wrote it.
    public var from: UserID?
    /// Whom it is to.
    public var to: UserID?
    /// Its title.
    public var title: String?
    /// Its text.
    public var body: String?
    /// How far it came; `sent` once every Device of the User has an outcome.
    public var state: Campaign.State
    /// When it was accepted.
    public var createdAt: Timestamp
    /// When every Device of the User had an outcome.
    public var finishedAt: Timestamp?

    /// Reads a message out of what it is delivered as.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - audience: The one User whom it is to.
    ///   - message: What it says, and whom it is from.
    ///   - state: How far it came.
    ///   - createdAt: When it was accepted.
    ///   - finishedAt: When it was over.
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
