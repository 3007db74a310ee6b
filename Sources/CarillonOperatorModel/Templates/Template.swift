public import CarillonModel

/// Identifies a template.
public struct TemplateID: TimeOrderedID {
    /// The prefix of the text form: `tpl`.
    public static let prefix = "tpl"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A saved message of an App for repeated use, with placeholders for values of a request.
public struct Template: Hashable, Sendable, Codable {
    /// Its id.
    public var id: TemplateID
    /// Its App.
    public var app: AppID
    /// The operator's name for it; unique in an App.
    public var name: String
    /// The message.
    ///
    /// Placeholders `{{value.NAME}}` are filled by the request that sends it, all others for each Device.
    public var message: Message
    /// When it was created.
    public var createdAt: Timestamp
    /// When it was changed.
    public var updatedAt: Timestamp

    /// Creates a template.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - name: The operator's name for it.
    ///   - message: The message.
    ///   - createdAt: When it was created.
    ///   - updatedAt: When it was changed.
    public init(
        id: TemplateID,
        app: AppID,
        name: String,
        message: Message,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.message = message
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The body of `POST /v1/templates` and of `PUT /v1/templates/{template}`.
public struct TemplateRequest: Hashable, Sendable, Codable {
    /// The operator's name for it: 1 through 100 characters, unique in an App.
    public var name: String
    /// The message.
    public var message: Message

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: 1 through 100 characters.
    ///   - message: The message.
    public init(name: String, message: Message) {
        self.name = name
        self.message = message
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, message
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        self.name = name
        message = try fields.required(.message)
    }
}
