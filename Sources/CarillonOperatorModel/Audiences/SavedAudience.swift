public import CarillonModel

/// A saved rule with a name, for use in Campaigns: a row of `/v1/audiences`.
public struct SavedAudience: Hashable, Sendable, Codable {
    /// Its id.
    public var id: AudienceID
    /// Its App.
    public var app: AppID
    /// The operator's name for it; unique in an App.
    public var name: String
    /// The rule as text.
    public var rule: String
    /// When it was created.
    public var createdAt: Timestamp
    /// When it was changed.
    public var changedAt: Timestamp
    /// How many Devices it had when it was counted last; missing when the rule was not counted since it changed.
    public var counted: AudienceEstimate?
    /// When it was counted.
    public var countedAt: Timestamp?

    /// Creates a saved audience.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - name: The operator's name for it.
    ///   - rule: The rule.
    ///   - createdAt: When it was created.
    public init(id: AudienceID, app: AppID, name: String, rule: AudienceRule, createdAt: Timestamp) {
        self.id = id
        self.app = app
        self.name = name
        self.rule = rule.text
        self.createdAt = createdAt
        changedAt = createdAt
    }
}

/// The body of `POST /v1/audiences`.
public struct AudienceRequest: Hashable, Sendable, Codable {
    /// 1 through 200 characters.
    public var name: String
    /// The rule, as text or JSON.
    public var rule: AudienceRule

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: 1 through 200 characters.
    ///   - rule: The rule.
    public init(name: String, rule: AudienceRule) {
        self.name = name
        self.rule = rule
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, rule
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...200) else { throw fields.failure(.name, "is required") }
        self.name = name
        rule = try fields.required(.rule, as: WrittenRule.self).rule
    }

    /// Writes the request, its rule as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(rule.text, forKey: .rule)
    }
}

/// The body of `PATCH /v1/audiences/{audience}`: missing fields stay unchanged.
public struct AudienceUpdate: Hashable, Sendable, Codable {
    /// 1 through 200 characters.
    public var name: String?
    /// The rule, as text or JSON.
    public var rule: AudienceRule?

    /// Creates an update.
    ///
    /// - Parameters:
    ///   - name: 1 through 200 characters.
    ///   - rule: The rule.
    public init(name: String? = nil, rule: AudienceRule? = nil) {
        self.name = name
        self.rule = rule
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, rule
    }

    /// Decodes an update strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        name = try fields.text(.name, 1...200)
        rule = try fields.optional(.rule, as: WrittenRule.self)?.rule
    }

    /// Writes the update, its rule as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(rule?.text, forKey: .rule)
    }
}
