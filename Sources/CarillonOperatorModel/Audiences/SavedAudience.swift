public import CarillonModel

/// A rule that was saved under a name, for Campaigns to use: what `/v1/audiences` shows.
public struct SavedAudience: Hashable, Sendable, Codable {
    /// Its id.
    public var id: AudienceID
    /// Its App.
    public var app: AppID
    /// What the operator calls it; no two of an App have the same name.
    public var name: String
    /// Whom it picks, as text.
    public var rule: String
    /// When it was saved first.
    public var createdAt: Timestamp
    /// When it was saved last.
    public var changedAt: Timestamp

    /// Makes one.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - name: What the operator calls it.
    ///   - rule: Whom it picks.
    ///   - createdAt: When it was saved first.
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
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// 1 through 200 characters.
    public var name: String
    /// Whom it picks; as text or as JSON.
    public var rule: AudienceRule

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - name: 1 through 200 characters.
    ///   - rule: Whom it picks.
    public init(app: AppID? = nil, name: String, rule: AudienceRule) {
        self.app = app
        self.name = name
        self.rule = rule
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, name, rule
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        guard let name = try fields.text(.name, 1...200) else { throw fields.failure(.name, "is required") }
        self.name = name
        rule = try fields.required(.rule, as: WrittenRule.self).rule
    }

    /// Writes the request, its rule as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(app, forKey: .app)
        try container.encode(name, forKey: .name)
        try container.encode(rule.text, forKey: .rule)
    }
}

/// The body of `PATCH /v1/audiences/{audience}`: what is missing stays as it is.
public struct AudienceUpdate: Hashable, Sendable, Codable {
    /// 1 through 200 characters.
    public var name: String?
    /// Whom it picks; as text or as JSON.
    public var rule: AudienceRule?

    /// Makes an update.
    ///
    /// - Parameters:
    ///   - name: 1 through 200 characters.
    ///   - rule: Whom it picks.
    public init(name: String? = nil, rule: AudienceRule? = nil) {
        self.name = name
        self.rule = rule
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, rule
    }

    /// Reads an update strictly.
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
