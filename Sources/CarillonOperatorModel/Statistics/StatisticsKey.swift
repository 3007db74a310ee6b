public import CarillonModel

/// A key under which counts of several Campaigns are gathered, such as a season's newsletters.
public struct StatisticsKey: Hashable, Sendable, Codable {
    /// Its id, which a Campaign has as `statisticsID`.
    public var id: StatisticsID
    /// Its App.
    public var app: AppID
    /// The operator's name for it.
    public var name: String
    /// What it is for.
    public var description: String?
    /// Earlier events do not count; no limit when missing.
    public var startsAt: Timestamp?
    /// Events at this time or later do not count; no limit when missing.
    public var endsAt: Timestamp?
    /// When it was created.
    public var createdAt: Timestamp

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - request: The request.
    ///   - createdAt: When it was created.
    public init(id: StatisticsID, app: AppID, request: StatisticsKeyRequest, createdAt: Timestamp) {
        self.id = id
        self.app = app
        name = request.name
        description = request.description
        startsAt = request.startsAt
        endsAt = request.endsAt
        self.createdAt = createdAt
    }
}

/// The body of `POST /v1/statistics-ids` and `PUT /v1/statistics-ids/{id}`.
public struct StatisticsKeyRequest: Hashable, Sendable, Codable {
    /// 1 through 100 characters.
    public var name: String
    /// 1 through 1,000 characters.
    public var description: String?
    /// Earlier events do not count.
    public var startsAt: Timestamp?
    /// Events at this time or later do not count; later than ``startsAt``.
    public var endsAt: Timestamp?

    /// Creates a request.
    ///
    /// - Parameter name: 1 through 100 characters.
    public init(name: String) {
        self.name = name
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, description, startsAt, endsAt
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, 1...100) else { throw fields.failure(.name, "is required") }
        self.name = name
        description = try fields.text(.description, 1...1_000)
        startsAt = try fields.optional(.startsAt)
        endsAt = try fields.optional(.endsAt)
        if let startsAt, let endsAt, endsAt <= startsAt {
            throw fields.failure(.endsAt, "must be later than startsAt")
        }
    }
}
