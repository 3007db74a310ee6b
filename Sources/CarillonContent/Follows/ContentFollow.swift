public import CarillonModel

/// Which new rows of a table the user hears of.
public struct ContentFollow: Hashable, Sendable, Identifiable {
    /// The content set's name.
    public let set: String
    /// The table's name; `nil`: the only one.
    public let table: String?
    /// Its name among the user's in the set.
    public let name: String
    /// Which rows: values, place and radius, words.
    public let query: ContentQuery
    /// Whether new rows come once a day, together.
    public let isBundled: Bool
    /// Whether the server has it; false while it waits to be sent.
    public let isSent: Bool
    /// Whether another change of the follow of this name came while this one waited for the server: that one counts.
    public let isReplaced: Bool

    /// Unique among all follows of the user.
    public var id: String { self.set + "/" + name }

    /// Makes a follow that is not sent yet.
    ///
    /// - Parameters:
    ///   - set: The content set's name.
    ///   - table: The table's name; `nil`: the only one.
    ///   - name: 1 through 100 letters, digits, hyphens, dots and underscores; `nil`: a name that is made of the query, the same on
    ///     all phones.
    ///   - query: Which rows; all conditions hold at once. It has no times.
    ///   - isBundled: Whether new rows come once a day, together.
    public init(
        set: String,
        table: String? = nil,
        name: String? = nil,
        query: ContentQuery,
        isBundled: Bool = false
    ) {
        self.init(
            set: set,
            table: table,
            name: name ?? query.followName(table: table),
            query: query,
            isBundled: isBundled,
            isSent: false
        )
    }

    private init(
        set: String,
        table: String?,
        name: String,
        query: ContentQuery,
        isBundled: Bool,
        isSent: Bool,
        isReplaced: Bool = false
    ) {
        self.set = set
        self.table = table
        self.name = name
        self.query = query
        self.isBundled = isBundled
        self.isSent = isSent
        self.isReplaced = isReplaced
    }

    init(_ record: FollowRecord, name: String, set: String, isSent: Bool) {
        self.init(
            set: set,
            table: record.table,
            name: name,
            query: record.query,
            isBundled: record.isBundled ?? false,
            isSent: isSent
        )
    }

    func with(isSent: Bool, isReplaced: Bool) -> ContentFollow {
        ContentFollow(
            set: set,
            table: table,
            name: name,
            query: query,
            isBundled: isBundled,
            isSent: isSent,
            isReplaced: isReplaced
        )
    }
}

/// What the user follows in a content set.
public struct ContentFollows: Hashable, Sendable {
    /// In order of their names, those that wait to be sent among them.
    public let follows: [ContentFollow]
    /// When they were fetched, by the phone's clock; `nil`: never.
    public let fetchedAt: Timestamp?

    /// Whether the user follows something, whatever its name is.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - table: The table's name; `nil`: any.
    /// - Returns: False also when the follows were never fetched.
    public func contains(_ query: ContentQuery, table: String? = nil) -> Bool {
        let wanted = FollowRecord(query, table: table)
        return follows.contains { follow in
            let known = FollowRecord(follow.query, table: table)
            return known == wanted && (table == nil || follow.table == nil || follow.table == table)
        }
    }
}

/// A follow as requests, answers and the phone's storage have it; the name is beside it.
struct FollowRecord: Codable, Hashable, Sendable {
    enum CodingKeys: String, CodingKey {
        case table, near, radius, words, isBundled
        case values = "where"
    }

    var table: String?
    var values: [String: [String]]?
    var near: ContentPlace?
    var radius: Double?
    var words: String?
    var isBundled: Bool?

    init(_ query: ContentQuery, table: String?, isBundled: Bool = false) {
        self.table = table
        values = query.values.isEmpty ? nil : query.values.mapValues { $0.sorted() }
        near = query.place?.rounded(decimals: 5)
        radius = query.place == nil ? nil : query.radius
        words = query.words
        self.isBundled = isBundled
    }

    init(_ follow: ContentFollow) { self.init(follow.query, table: follow.table, isBundled: follow.isBundled) }

    var query: ContentQuery {
        var query = ContentQuery()
        query.values = values ?? [:]
        query.place = near
        query.radius = radius ?? ContentQuery.defaultRadius
        query.words = words
        return query
    }
}
