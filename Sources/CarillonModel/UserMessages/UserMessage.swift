/// A message of one User to another: the body of `POST /v1/devices/{device}/messages`.
public struct UserMessage: Hashable, Sendable, Codable {
    /// The recipient: the App's own id of the person.
    public var to: UserID
    /// 1 through 100 characters; an App may allow fewer, or none.
    public var title: String?
    /// 1 through 1,000 characters; an App may allow fewer.
    public var body: String

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - to: The recipient.
    ///   - title: 1 through 100 characters.
    ///   - body: 1 through 1,000 characters.
    public init(to: UserID, title: String? = nil, body: String) {
        self.to = to
        self.title = title
        self.body = body
    }

    enum CodingKeys: CodingKey {
        case to, title, body
    }

    /// Checks the lengths of the texts.
    ///
    /// - Throws: ``FieldError`` naming the field.
    package func validate() throws(FieldError) {
        if let title { try Self.titleLimit.check(title, field: "title") }
        try Self.bodyLimit.check(body, field: "body")
    }

    private static let titleLimit = TextLimit(1...100)
    private static let bodyLimit = TextLimit(1...1_000)

    /// Decodes a message strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        to = try fields.required(.to)
        title = try fields.text(.title, Self.titleLimit.lengths)
        guard let body = try fields.text(.body, Self.bodyLimit.lengths) else {
            throw fields.failure(.body, "is required")
        }
        self.body = body
    }
}
