public import CarillonModel

/// A tag of an App: a label that Devices put on their User.
public struct Tag: Hashable, Sendable, Codable {
    /// Its id, by which Devices know it.
    public var id: TagID
    /// What the operator calls it: 1 through 255 characters, no white space.
    public var name: String
    /// When it was made.
    public var createdAt: Timestamp
    /// When it got its name.
    public var updatedAt: Timestamp

    /// Makes a tag.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - name: What the operator calls it.
    ///   - createdAt: When it was made.
    ///   - updatedAt: When it got its name; `nil` when it was made.
    public init(id: TagID, name: String, createdAt: Timestamp, updatedAt: Timestamp? = nil) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
    }
}

/// The body of `POST /v1/apps/{app}/tags`, and of `PATCH /v1/apps/{app}/tags/{tag}`, which renames it.
public struct TagRequest: Hashable, Sendable, Codable {
    /// 1 through 255 characters, no white space.
    public var name: String

    /// Makes a request.
    ///
    /// - Parameter name: 1 through 255 characters, no white space.
    public init(name: String) { self.name = name }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...255) else { throw fields.failure(.name, "is required") }
        guard !name.contains(where: \.isWhitespace) else { throw fields.failure(.name, "must not have white space") }
        self.name = name
    }
}
