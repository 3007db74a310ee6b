public import CarillonModel

/// A tag of an App: a label that Devices assign to their User.
public struct Tag: Hashable, Sendable, Codable {
    /// Its id, which Devices use.
    public var id: TagID
    /// The operator's name for it: 1 through 255 characters, no white space.
    public var name: String
    /// When it was created.
    public var createdAt: Timestamp
    /// When it was last renamed.
    public var updatedAt: Timestamp
    /// Who created it; `nil` where that is not known.
    public var createdBy: CampaignAuthor?

    /// Creates a tag.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - name: The operator's name for it.
    ///   - createdAt: When it was created.
    ///   - updatedAt: When it was last renamed; `nil` for when it was created.
    ///   - createdBy: Who created it; `nil` where that is not known.
    public init(
        id: TagID,
        name: String,
        createdAt: Timestamp,
        updatedAt: Timestamp? = nil,
        createdBy: CampaignAuthor? = nil
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.createdBy = createdBy
    }
}

/// The body of `POST /v1/tags`, and of `PATCH /v1/tags/{tag}`, which renames it.
public struct TagRequest: Hashable, Sendable, Codable {
    /// 1 through 255 characters, no white space.
    public var name: String

    /// Creates a request.
    ///
    /// - Parameter name: 1 through 255 characters, no white space.
    public init(name: String) { self.name = name }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...255) else { throw fields.failure(.name, "is required") }
        guard !name.contains(where: \.isWhitespace) else { throw fields.failure(.name, "must not have white space") }
        self.name = name
    }
}
