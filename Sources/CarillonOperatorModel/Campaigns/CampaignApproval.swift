public import CarillonModel

/// A part of a Campaign that a draft may leave open.
public enum CampaignPart: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its audience.
    case audience
    /// Its message.
    case message
    /// Whether it is an ad.
    case kind
}

/// Who wrote, sent or decided about a Campaign: `{"operator": "opr_…"}`, `{"key": "key_…"}` or `{"vendorAPI": "toast"}`.
public enum CampaignAuthor: Hashable, Sendable {
    /// An Operator of the console, in whatever session.
    case `operator`(OperatorID)
    /// An API key.
    case key(APIKeyID)
    /// Whoever has the App's key and secret of a vendor API.
    case vendorAPI(VendorAPI)
}

extension CampaignAuthor: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case `operator`, key, vendorAPI
    }

    /// Reads one of the forms.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let person: OperatorID? = try fields.optional(.operator)
        let key: APIKeyID? = try fields.optional(.key)
        let api: VendorAPI? = try fields.optional(.vendorAPI)
        switch (person, key, api) {
        case (let person?, nil, nil): self = .operator(person)
        case (nil, let key?, nil): self = .key(key)
        case (nil, nil, let api?): self = .vendorAPI(api)
        default: throw fields.failure(.operator, "must be present, or key or vendorAPI")
        }
    }

    /// Writes the form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .operator(let person): try container.encode(person, forKey: .operator)
        case .key(let key): try container.encode(key, forKey: .key)
        case .vendorAPI(let api): try container.encode(api, forKey: .vendorAPI)
        }
    }
}

/// A request that a second person approves a version of a Campaign.
public struct CampaignApproval: Hashable, Sendable, Codable {
    /// The outcome of a request.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nobody has decided yet.
        case waiting
        /// Somebody approved the version.
        case approved
        /// Somebody refused it, and said why.
        case refused
        /// It was taken back.
        case withdrawn
        /// The Campaign was edited afterwards.
        case voided
        /// Nobody decided in time.
        case expired
    }

    /// The range of the length of a reason, in characters.
    public static let reasonLength = 1...500

    /// The version that was to be approved.
    public var version: Int
    /// How many Devices it reached when it was asked.
    public var reach: Int
    /// Who asked; missing for a caller that is unknown.
    public var requestedBy: CampaignAuthor?
    /// When.
    public var requestedAt: Timestamp
    /// When the request ends without a decision.
    public var expiresAt: Timestamp
    /// Its outcome.
    public var outcome: Outcome
    /// Who decided; missing while it waits and when it expired.
    public var decidedBy: CampaignAuthor?
    /// When it ended.
    public var decidedAt: Timestamp?
    /// Why it was refused.
    public var reason: String?

    /// Creates a request that waits.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - reach: How many Devices it reaches.
    ///   - requestedBy: Who asks.
    ///   - requestedAt: When.
    ///   - expiresAt: When the request ends without a decision.
    public init(
        version: Int,
        reach: Int,
        requestedBy: CampaignAuthor?,
        requestedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.version = version
        self.reach = reach
        self.requestedBy = requestedBy
        self.requestedAt = requestedAt
        self.expiresAt = expiresAt
        outcome = .waiting
    }
}

/// The body of `POST /v1/campaigns/{campaign}/approval/refuse`.
public struct ApprovalRefusal: Hashable, Sendable, Codable {
    /// Why: 1 through 500 characters, which the authors see.
    public var reason: String

    /// Creates a refusal.
    ///
    /// - Parameter reason: Why.
    public init(reason: String) { self.reason = reason }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case reason
    }

    /// Decodes a refusal strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let reason = try fields.text(.reason, CampaignApproval.reasonLength) else {
            throw fields.failure(.reason, "is required")
        }
        self.reason = reason
    }
}
