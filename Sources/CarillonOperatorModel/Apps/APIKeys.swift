public import CarillonModel

/// A permission of an API key.
public enum APIKeyScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Read Apps, Devices, Campaigns and their counts.
    case read
    /// Create, send and cancel Campaigns.
    case send
    /// Read messages between Users.
    case messages
    /// Everything, including keys.
    case admin
}

/// An API key without its secret.
public struct APIKey: Hashable, Sendable, Codable {
    /// Its id.
    public var id: APIKeyID
    /// The App it belongs to; missing for a key of the server.
    public var app: AppID?
    /// The owner's name for it.
    public var name: String
    /// Its permissions.
    public var scopes: [APIKeyScope]
    /// When it was created.
    public var createdAt: Timestamp
    /// When it expires.
    public var expiresAt: Timestamp?
    /// When it was last used, within an hour; missing when it never was.
    public var lastUsedAt: Timestamp?
    /// The maximum number of Devices that one of its Campaigns may reach; missing for no limit.
    public var recipientsPerCampaign: Int?
    /// The maximum number of Devices that its Campaigns of an hour may reach together; missing for no limit.
    public var recipientsPerHour: Int?

    /// The range of both limits.
    public static let recipientLimits = 1...1_000_000_000
    /// The limit of a Campaign of a key of an App whose request names none.
    public static let usualRecipientsPerCampaign = 10_000
    /// The limit of an hour of a key of an App whose request names none.
    public static let usualRecipientsPerHour = 50_000

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: The App it belongs to; `nil` for a key of the server.
    ///   - request: The request.
    ///   - createdAt: When it was created.
    public init(id: APIKeyID, app: AppID?, request: APIKeyRequest, createdAt: Timestamp) {
        self.id = id
        self.app = app
        name = request.name
        scopes = request.scopes
        self.createdAt = createdAt
        expiresAt = request.expiresAt
        // A key of the server is for the owner's own programs.
        let isOfApp = app != nil
        recipientsPerCampaign = isOfApp ? Self.usualRecipientsPerCampaign : nil
        recipientsPerHour = isOfApp ? Self.usualRecipientsPerHour : nil
        if let given = request.recipientsPerCampaign { recipientsPerCampaign = given }
        if let given = request.recipientsPerHour { recipientsPerHour = given }
    }
}

/// The body of `POST /v1/keys`.
public struct APIKeyRequest: Hashable, Sendable, Codable {
    /// 1 through 100 characters.
    public var name: String
    /// 1 through 4, each once.
    public var scopes: [APIKeyScope]
    /// When it expires; never when missing.
    public var expiresAt: Timestamp?
    /// The maximum number of Devices that one of its Campaigns may reach; null for no limit.
    ///
    /// When missing, 10,000 for a key of an App and no limit for a key of the server.
    public var recipientsPerCampaign: Int??
    /// The maximum number of Devices that its Campaigns of an hour may reach together; null for no limit.
    ///
    /// When missing, 50,000 for a key of an App and no limit for a key of the server.
    public var recipientsPerHour: Int??

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters.
    ///   - scopes: Its permissions.
    public init(name: String, scopes: [APIKeyScope]) {
        self.name = name
        self.scopes = scopes
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, scopes, expiresAt, recipientsPerCampaign, recipientsPerHour
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        self.name = name
        scopes = try fields.required(.scopes)
        guard (1...4).contains(scopes.count), Set(scopes).count == scopes.count else {
            throw fields.failure(.scopes, "must list 1 through 4 scopes, each once")
        }
        expiresAt = try fields.optional(.expiresAt)
        if fields.contains(.recipientsPerCampaign) {
            recipientsPerCampaign = .some(try fields.integer(.recipientsPerCampaign, APIKey.recipientLimits))
        }
        if fields.contains(.recipientsPerHour) {
            recipientsPerHour = .some(try fields.integer(.recipientsPerHour, APIKey.recipientLimits))
        }
    }
}

/// A new API key with its secret, which is returned only once.
public struct APIKeySecret: Hashable, Sendable, Codable {
    /// The key.
    public var key: APIKey
    /// The value for `Authorization: Bearer`.
    public var secret: String

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - secret: The value for `Authorization: Bearer`.
    public init(key: APIKey, secret: String) {
        self.key = key
        self.secret = secret
    }
}

/// The answer to `POST /v1/campaigns/{campaign}/progress-ticket`: opens one progress stream, once, within a minute.
public struct StreamTicket: Hashable, Sendable, Codable {
    /// The value of `ticket` in `GET /v1/campaigns/{campaign}/progress?ticket=`.
    public var ticket: String
    /// When it expires.
    public var expiresAt: Timestamp

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - expiresAt: When it expires.
    public init(ticket: String, expiresAt: Timestamp) {
        self.ticket = ticket
        self.expiresAt = expiresAt
    }
}

/// One event of a Campaign's progress stream.
public struct CampaignProgress: Hashable, Sendable, Codable {
    /// The Campaign.
    public var campaign: CampaignID
    /// Its state.
    public var state: Campaign.State
    /// Its funnel so far.
    public var funnel: Funnel

    /// Creates a progress event.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - state: Its state.
    ///   - funnel: Its funnel so far.
    public init(campaign: CampaignID, state: Campaign.State, funnel: Funnel) {
        self.campaign = campaign
        self.state = state
        self.funnel = funnel
    }
}
