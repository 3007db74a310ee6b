package import CarillonModel

/// Which new rows of a table somebody wants to hear of: all conditions hold at once.
package struct ContentFollowQuery: Hashable, Sendable {
    /// An area around a point.
    package struct Circle: Hashable, Sendable, Codable {
        package var place: ContentPosition
        /// Metres.
        package var radius: Double

        package init(place: ContentPosition, radius: Double) {
            self.place = place
            self.radius = radius
        }
    }

    /// Indexed fields, or the key, each with some values.
    package var equalities: [ContentQuery.Equality] = []
    package var near: Circle?
    package var words: String?

    package init() {}

    /// The query as the search has it.
    package var search: ContentQuery {
        var query = ContentQuery()
        query.equalities = equalities
        query.near = near.map { ContentQuery.Near($0.place, radius: $0.radius) }
        query.words = words
        return query
    }

    /// Whether a row fits.
    package func fits(_ row: FollowedRow) -> Bool {
        for equality in equalities {
            let values = equality.field == row.keyField ? [row.key] : row.terms[equality.field] ?? []
            guard equality.values.contains(where: { values.contains(ContentValue.term($0)) }) else { return false }
        }
        if let near {
            guard let place = row.position, near.place.distance(to: place) <= near.radius else { return false }
        }
        guard let words else { return true }
        return SearchTerms.terms(ofQuery: words).isSubset(of: row.words)
    }
}

/// Somebody's wish to hear of new rows: a User's, or that of an operator for an audience.
package struct ContentFollow: Hashable, Sendable {
    package var app: AppID
    package var set: String
    /// Unique in the set; whoever follows chooses it.
    package var name: String
    package var table: String
    /// `nil` for an audience.
    package var user: UserID?
    /// The audience as the API has it; `nil` for a User.
    package var audience: JSONValue?
    package var query: ContentFollowQuery
    /// Whether new rows go out once a day, together.
    package var isBundled: Bool
    package var createdAt: Timestamp

    /// Maximum number of follows of a User in a set, and of audiences in a set.
    package static let maximumCount = 100

    package init(
        app: AppID,
        set: String,
        name: String,
        table: String,
        user: UserID?,
        audience: JSONValue?,
        query: ContentFollowQuery,
        isBundled: Bool,
        createdAt: Timestamp
    ) {
        self.app = app
        self.set = set
        self.name = name
        self.table = table
        self.user = user
        self.audience = audience
        self.query = query
        self.isBundled = isBundled
        self.createdAt = createdAt
    }

    /// A number by which follows of one User stand together: pages of followers end between Users.
    ///
    /// It names nobody; that of audiences is -1, before all Users.
    package var userHash: Int64 { user.map { Self.hash($0.rawValue) } ?? -1 }

    private static func hash(_ text: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(hash >> 1)
    }
}

extension ContentFollowQuery: Codable {
    private enum CodingKeys: String, CodingKey { case `where`, near, words }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let values = try fields.decodeIfPresent([String: [String]].self, forKey: .where) ?? [:]
        equalities = values.sorted { $0.key < $1.key }.map { ContentQuery.Equality(field: $0.key, values: $0.value) }
        near = try fields.decodeIfPresent(Circle.self, forKey: .near)
        words = try fields.decodeIfPresent(String.self, forKey: .words)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        let values = Dictionary(equalities.map { ($0.field, $0.values) }) { first, second in first + second }
        if !values.isEmpty { try fields.encode(values, forKey: .where) }
        try fields.encodeIfPresent(near, forKey: .near)
        try fields.encodeIfPresent(words, forKey: .words)
    }
}

extension ContentFollow: Encodable {
    private enum CodingKeys: String, CodingKey {
        case set, name, table, user, audience, `where`, near, radius, words, isBundled, createdAt
    }

    /// Writes the follow as answers have it.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(set, forKey: .set)
        try fields.encode(name, forKey: .name)
        try fields.encode(table, forKey: .table)
        try fields.encodeIfPresent(user, forKey: .user)
        try fields.encodeIfPresent(audience, forKey: .audience)
        let values = Dictionary(query.equalities.map { ($0.field, $0.values) }) { first, second in first + second }
        if !values.isEmpty { try fields.encode(values, forKey: .where) }
        try fields.encodeIfPresent(query.near?.place, forKey: .near)
        try fields.encodeIfPresent(query.near?.radius, forKey: .radius)
        try fields.encodeIfPresent(query.words, forKey: .words)
        try fields.encode(isBundled, forKey: .isBundled)
        try fields.encode(createdAt, forKey: .createdAt)
    }
}
