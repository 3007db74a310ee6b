public import CarillonModel

/// Names a template.
public struct TemplateID: TimeOrderedID {
    /// What the text form begins with: `tpl`.
    public static let prefix = "tpl"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A message of an App that is kept to be sent again and again, with places for what a request brings.
public struct Template: Hashable, Sendable, Codable {
    /// Its id.
    public var id: TemplateID
    /// Its App.
    public var app: AppID
    /// What operators call it; each once in an App.
    public var name: String
    /// What it says.
    ///
    /// Places `{{value.NAME}}` are filled by the request that sends it, all others for every Device.
    public var message: Message
    /// When it was made.
    public var createdAt: Timestamp
    /// When it was changed.
    public var updatedAt: Timestamp

    /// Makes a template.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - name: What operators call it.
    ///   - message: What it says.
    ///   - createdAt: When it was made.
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
    /// The App; may be missing when the API key belongs to one, and where the path names a template.
    public var app: AppID?
    /// What operators call it: 1 through 100 characters, each once in an App.
    public var name: String
    /// What it says.
    public var message: Message

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - name: 1 through 100 characters.
    ///   - message: What it says.
    public init(app: AppID? = nil, name: String, message: Message) {
        self.app = app
        self.name = name
        self.message = message
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, name, message
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        self.name = name
        message = try fields.required(.message)
    }
}
