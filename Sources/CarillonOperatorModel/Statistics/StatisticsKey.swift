public import CarillonModel

/// Something that figures of several Campaigns are gathered under, as a season's newsletters.
public struct StatisticsKey: Hashable, Sendable, Codable {
    /// Its id, which a Campaign names as `statisticsID`.
    public var id: StatisticsID
    /// Its App.
    public var app: AppID
    /// What the operator calls it.
    public var name: String
    /// What it is for.
    public var description: String?
    /// What happens before is not gathered under it; missing: there is no such time.
    public var startsAt: Timestamp?
    /// What happens from then on is not gathered under it; missing: there is no such time.
    public var endsAt: Timestamp?
    /// When it was made.
    public var createdAt: Timestamp

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - app: Its App.
    ///   - request: What was asked for.
    ///   - createdAt: When it was made.
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
    /// The App; may be missing when the API key belongs to one.
    public var app: AppID?
    /// 1 through 100 characters.
    public var name: String
    /// 1 through 1,000 characters.
    public var description: String?
    /// What happens before is not gathered under it.
    public var startsAt: Timestamp?
    /// What happens from then on is not gathered under it; later than ``startsAt``.
    public var endsAt: Timestamp?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - app: The App; may be missing when the API key belongs to one.
    ///   - name: 1 through 100 characters.
    public init(app: AppID? = nil, name: String) {
        self.app = app
        self.name = name
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, name, description, startsAt, endsAt
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        app = try fields.optional(.app)
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
