public import CarillonModel

/// What an API key may do.
public enum APIKeyScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Look at Apps, Devices, Campaigns and their figures.
    case read
    /// Create, send and cancel Campaigns.
    case send
    /// Read what Users write to each other.
    case messages
    /// Everything, keys included.
    case admin
}

/// An API key as the API shows it, without the secret.
public struct APIKey: Hashable, Sendable, Codable {
    /// Its id.
    public var id: APIKeyID
    /// The App it belongs to; missing for a key of the server.
    public var app: AppID?
    /// What its owner calls it.
    public var name: String
    /// What it may do.
    public var scopes: [APIKeyScope]
    /// When it was made.
    public var createdAt: Timestamp
    /// When it stops being taken.
    public var expiresAt: Timestamp?
    /// When it was last used, within an hour; missing when it never was.
    public var lastUsedAt: Timestamp?

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - request: What was asked for.
    ///   - createdAt: When it was made.
    public init(id: APIKeyID, request: APIKeyRequest, createdAt: Timestamp) {
        self.id = id
        app = request.app
        name = request.name
        scopes = request.scopes
        self.createdAt = createdAt
        expiresAt = request.expiresAt
    }
}

/// The body of `POST /v1/keys`.
public struct APIKeyRequest: Hashable, Sendable, Codable {
    /// The App it is for; missing for a key of the server.
    public var app: AppID?
    /// 1 through 100 characters.
    public var name: String
    /// 1 through 4, each once.
    public var scopes: [APIKeyScope]
    /// When it stops being taken; missing: never.
    public var expiresAt: Timestamp?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App it is for; `nil` for a key of the server.
    ///   - name: 1 through 100 characters.
    ///   - scopes: What it may do.
    public init(app: AppID? = nil, name: String, scopes: [APIKeyScope]) {
        self.app = app
        self.name = name
        self.scopes = scopes
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, name, scopes, expiresAt
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        self.name = name
        scopes = try fields.required(.scopes)
        guard (1...4).contains(scopes.count), Set(scopes).count == scopes.count else {
            throw fields.failure(.scopes, "must list 1 through 4 scopes, each once")
        }
        expiresAt = try fields.optional(.expiresAt)
    }
}

/// A new API key with its secret, which is shown this once.
public struct APIKeySecret: Hashable, Sendable, Codable {
    /// The key.
    public var key: APIKey
    /// What goes into `Authorization: Bearer`.
    public var secret: String

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - secret: What goes into `Authorization: Bearer`.
    public init(key: APIKey, secret: String) {
        self.key = key
        self.secret = secret
    }
}

/// The answer to `POST /v1/campaigns/{campaign}/progress-ticket`: opens one stream of progress, once, within a minute.
public struct StreamTicket: Hashable, Sendable, Codable {
    /// Goes into `GET /v1/campaigns/{campaign}/progress?ticket=`.
    public var ticket: String
    /// When it stops being taken.
    public var expiresAt: Timestamp

    /// Makes the answer.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - expiresAt: When it stops being taken.
    public init(ticket: String, expiresAt: Timestamp) {
        self.ticket = ticket
        self.expiresAt = expiresAt
    }
}

/// One step of a Campaign's progress, as the stream of progress sends it.
public struct CampaignProgress: Hashable, Sendable, Codable {
    /// Which Campaign.
    public var campaign: CampaignID
    /// Where it stands.
    public var state: Campaign.State
    /// What became of it so far.
    public var funnel: Funnel

    /// Makes a step.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - state: Where it stands.
    ///   - funnel: What became of it so far.
    public init(campaign: CampaignID, state: Campaign.State, funnel: Funnel) {
        self.campaign = campaign
        self.state = state
        self.funnel = funnel
    }
}
