public import CarillonModel
public import Foundation

/// Which rows of a table are wanted: all conditions hold at once.
///
/// Each method returns a query with one condition more, and each has a static twin to begin with:
///
/// ```swift
/// let query = ContentQuery.matching("category", "1").matching("city", "高雄市", "台南市").words("音樂")
/// ```
public struct ContentQuery: Hashable, Sendable, Codable {
    /// Values by field, which is indexed or the key; several values of a field are alternatives.
    ///
    /// At most 8 fields, each with 1 through 50 values.
    public var values: [String: [String]] = [:]
    /// Rows near a place, nearest first.
    public var place: ContentPlace?
    /// Metres around ``place``: more than 0, at most 200,000.
    public var radius = ContentQuery.defaultRadius
    /// The field of type time that ``from`` and ``until`` are about.
    public var time: String?
    /// Rows whose ``time`` is then or later.
    public var from: Timestamp?
    /// Rows whose ``time`` is before.
    public var until: Timestamp?
    /// Words that rows have, all of them: 1 through 200 characters.
    public var words: String?
    /// How many rows a page has at most: 1 through 200.
    public var limit = 50

    /// The radius where none is said, in metres.
    public static let defaultRadius = 2_000.0

    /// Makes a query for all rows.
    public init() {}
}

extension ContentQuery {
    /// Rows of which a field has one of some values.
    ///
    /// - Parameters:
    ///   - field: An indexed field, or the key.
    ///   - values: The values: 1 through 50.
    /// - Returns: The query with this condition, in place of an earlier one of the field.
    public func matching(_ field: String, _ values: [String]) -> ContentQuery {
        with { $0.values[field] = values }
    }

    /// Rows of which a field has one of some values.
    public func matching(_ field: String, _ values: String...) -> ContentQuery { matching(field, values) }

    /// Rows of which a field has a number.
    public func matching(_ field: String, _ value: Int) -> ContentQuery { matching(field, [String(value)]) }

    /// Rows of which a field is true, or false.
    public func matching(_ field: String, _ value: Bool) -> ContentQuery { matching(field, [value ? "true" : "false"]) }

    /// Rows near a place, nearest first.
    ///
    /// - Parameters:
    ///   - place: The place.
    ///   - radius: Metres around it: more than 0, at most 200,000.
    /// - Returns: The query with this condition.
    public func near(_ place: ContentPlace, radius: Double = ContentQuery.defaultRadius) -> ContentQuery {
        with { ($0.place, $0.radius) = (place, radius) }
    }

    /// Rows whose time is in a range.
    ///
    /// - Parameters:
    ///   - field: A field of type time.
    ///   - from: The first instant; `nil` for no bound.
    ///   - until: The first instant behind the range; `nil` for no bound.
    /// - Returns: The query with this condition.
    public func times(_ field: String, from: Date? = nil, until: Date? = nil) -> ContentQuery {
        with { ($0.time, $0.from, $0.until) = (field, from.map { Timestamp($0) }, until.map { Timestamp($0) }) }
    }

    /// Rows that have all of some words in their searchable fields; of Chinese and Japanese any characters that follow each other.
    ///
    /// - Parameter words: The words: 1 through 200 characters, with letters or digits.
    /// - Returns: The query with this condition.
    public func words(_ words: String) -> ContentQuery { with { $0.words = words } }

    /// Limits the rows of a page.
    ///
    /// - Parameter limit: 1 through 200.
    /// - Returns: The query with this limit.
    public func limit(_ limit: Int) -> ContentQuery { with { $0.limit = limit } }

    private func with(_ change: (inout ContentQuery) -> Void) -> ContentQuery {
        var query = self
        change(&query)
        return query
    }
}

// MARK: - To begin with

extension ContentQuery {
    /// Rows of which a field has one of some values.
    public static func matching(_ field: String, _ values: [String]) -> ContentQuery { Self().matching(field, values) }

    /// Rows of which a field has one of some values.
    public static func matching(_ field: String, _ values: String...) -> ContentQuery { Self().matching(field, values) }

    /// Rows of which a field has a number.
    public static func matching(_ field: String, _ value: Int) -> ContentQuery { Self().matching(field, value) }

    /// Rows of which a field is true, or false.
    public static func matching(_ field: String, _ value: Bool) -> ContentQuery { Self().matching(field, value) }

    /// Rows near a place, nearest first.
    public static func near(_ place: ContentPlace, radius: Double = ContentQuery.defaultRadius) -> ContentQuery {
        Self().near(place, radius: radius)
    }

    /// Rows whose time is in a range.
    public static func times(_ field: String, from: Date? = nil, until: Date? = nil) -> ContentQuery {
        Self().times(field, from: from, until: until)
    }

    /// Rows that have all of some words in their searchable fields.
    public static func words(_ words: String) -> ContentQuery { Self().words(words) }

    /// All rows, so many a page.
    public static func limit(_ limit: Int) -> ContentQuery { Self().limit(limit) }
}
