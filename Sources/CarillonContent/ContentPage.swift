public import Carillon
public import CarillonModel
public import Foundation

/// Some rows of a table, as the server returned them.
public struct ContentPage<Row: Sendable>: Sendable {
    /// A row.
    public struct Item: Sendable {
        /// The row.
        public let row: Row
        /// Metres to the place of the query; `nil` for a query without one.
        public let distance: Double?
    }

    /// In the table's order; for a query near a place the nearest first.
    public let items: [Item]
    /// Where the next page begins; `nil` after the last one.
    public let nextCursor: String?
    /// When the server answered, by the phone's clock.
    public let fetchedAt: Timestamp
    /// Whether it comes from disk.
    public let isStored: Bool
    /// Why it comes from disk and not from the server; `nil` when the server was not asked.
    public let failure: CarillonError?
    /// How many rows were left out because `Row` cannot be decoded from them, as when a field has no value that the type requires.
    public let unreadableCount: Int

    /// The rows of ``items``.
    public var rows: [Row] { items.map(\.row) }

    /// How long ago the server answered, in seconds.
    ///
    /// - Parameter now: The time.
    /// - Returns: Zero or more.
    public func age(at now: Date = Date()) -> TimeInterval { max(0, now.timeIntervalSince(fetchedAt.date)) }
}

extension ContentPage: Equatable where Row: Equatable {}
extension ContentPage.Item: Equatable where Row: Equatable {}

extension ContentPage where Row: Decodable {
    /// Reads an answer.
    ///
    /// - Throws: `CarillonError` when it is no page, or when `Row` can be decoded from none of its rows.
    init(_ answer: StoredAnswer, isStored: Bool, failure: CarillonError?) throws(CarillonError) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { try Timestamp(from: $0).date }
        guard let body = try? decoder.decode(PageBody<Row>.self, from: answer.body) else {
            throw .unreachable(.badAnswer)
        }
        let problems = body.items.compactMap(\.problem)
        items = body.items.compactMap { item in item.row.map { Item(row: $0, distance: item.distance) } }
        if let problem = problems.first, items.isEmpty {
            throw .invalidArgument("\(Row.self) cannot be decoded from the table's rows: \(problem)")
        }
        nextCursor = body.nextCursor
        fetchedAt = answer.fetchedAt
        self.isStored = isStored
        self.failure = failure
        unreadableCount = problems.count
    }
}

/// A page of rows, whatever they are.
struct PageShape: Decodable {
    private struct Item: Decodable { init(from decoder: any Decoder) {} }

    private enum CodingKeys: String, CodingKey { case items }

    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self).decode([Item].self, forKey: .items)
    }
}

private struct PageBody<Row: Decodable>: Decodable {
    var items: [PageItem<Row>]
    var nextCursor: String?
}

/// A row, or why it cannot be read: one row that the app does not expect must not empty a list.
private struct PageItem<Row: Decodable>: Decodable {
    enum CodingKeys: String, CodingKey { case row, distance }

    var row: Row?
    var distance: Double?
    var problem: String?

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        distance = try fields.decodeIfPresent(Double.self, forKey: .distance)
        do {
            row = try fields.decode(Row.self, forKey: .row)
        } catch let error as DecodingError {
            problem = Self.problem(error)
        }
    }

    /// Which field it is, and what is wrong with it; never the value.
    private static func problem(_ error: DecodingError) -> String {
        let (words, path): (String, [any CodingKey]) =
            switch error {
            case .keyNotFound(let key, let context): ("is missing", context.codingPath + [key])
            case .valueNotFound(_, let context): ("has no value", context.codingPath)
            case .typeMismatch(let type, let context): ("is no \(type)", context.codingPath)
            case .dataCorrupted(let context): ("has another form", context.codingPath)
            @unknown default: ("cannot be read", [])
            }
        // Behind `items`, the index and `row`.
        return "\(path.dropFirst(3).map(\.stringValue).joined(separator: ".")) \(words)"
    }
}

/// The next arrivals at the stops of a route.
public struct ContentArrivals: Hashable, Sendable {
    /// The next arrival at a stop.
    public struct Arrival: Hashable, Sendable, Codable {
        /// The stop's id.
        public let stop: String
        /// The stop's name, if the content set has the stop.
        public let name: String?
        /// Whether it is on the way back.
        public let isInbound: Bool
        /// When a vehicle arrives; `nil` when none is expected today.
        public let time: Timestamp?
        /// Whether a vehicle told it, and not the timetable alone.
        public let isPredicted: Bool

        /// Makes an arrival, as for a preview.
        public init(
            stop: String,
            name: String? = nil,
            isInbound: Bool = false,
            time: Timestamp?,
            isPredicted: Bool = false
        ) {
            self.stop = stop
            self.name = name
            self.isInbound = isInbound
            self.time = time
            self.isPredicted = isPredicted
        }
    }

    /// Outbound ones first, in the order of the stops.
    public let items: [Arrival]
    /// The IANA time zone of the timetable.
    public let timeZone: String
    /// When vehicles told last, however old that is; `nil` when they never did.
    public let realtimeAt: Timestamp?
    /// When the server answered, by the phone's clock.
    public let fetchedAt: Timestamp
    /// Whether it comes from disk: then the times may be over.
    public let isStored: Bool
    /// Why it comes from disk; `nil` otherwise.
    public let failure: CarillonError?

    /// How long ago the server answered, in seconds.
    ///
    /// - Parameter now: The time.
    /// - Returns: Zero or more.
    public func age(at now: Date = Date()) -> TimeInterval { max(0, now.timeIntervalSince(fetchedAt.date)) }

    struct Answer: Decodable {
        var items: [Arrival]
        var timeZone: String
        var realtimeAt: Timestamp?
    }

    init(_ answer: Answer, fetchedAt: Timestamp, isStored: Bool, failure: CarillonError?) {
        items = answer.items
        timeZone = answer.timeZone
        realtimeAt = answer.realtimeAt
        self.fetchedAt = fetchedAt
        self.isStored = isStored
        self.failure = failure
    }
}
