public import Carillon
import CarillonModel
import Foundation

/// A table of a content set, with rows of a type of the app's.
public struct ContentTable<Row: Decodable & Sendable>: Sendable {
    let content: ContentClient
    /// The content set's name.
    public let set: String
    /// The table's name; `nil`: the only one.
    public let name: String?
    /// The field that names a row.
    public let key: String

    // MARK: - Rows

    /// Fetches a page from the server, and keeps it on disk.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - cursor: The ``ContentPage/nextCursor`` of the page before; `nil`: the first page.
    /// - Returns: The page.
    /// - Throws: `CarillonError`; `invalidArgument` also when `Row` can be decoded from none of the rows.
    public func fetch(
        _ query: ContentQuery = ContentQuery(),
        after cursor: String? = nil
    ) async throws(CarillonError) -> ContentPage<Row> {
        try ContentPage(
            try await content.fetch(try request(query, cursor), PageShape.self),
            isStored: false,
            failure: nil
        )
    }

    /// The last answer to the same query, from disk.
    ///
    /// Near a place that to a place within some hundred metres will do.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - cursor: The ``ContentPage/nextCursor`` of the page before; `nil`: the first page.
    /// - Returns: The page; `nil` when there is none.
    /// - Throws: `CarillonError` when the phone's storage cannot be read, and as ``fetch(_:after:)`` for what is wrong.
    public func stored(
        _ query: ContentQuery = ContentQuery(),
        after cursor: String? = nil
    ) throws(CarillonError) -> ContentPage<Row>? {
        guard let answer = try content.stored(try request(query, cursor)) else { return nil }
        return try ContentPage(answer, isStored: true, failure: nil)
    }

    /// A page from the server or, when that cannot be reached, the last answer to the same query.
    ///
    /// A page from disk has ``ContentPage/isStored``, its age, and the ``ContentPage/failure`` that it is there for.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - cursor: The ``ContentPage/nextCursor`` of the page before; `nil`: the first page.
    /// - Returns: The page.
    /// - Throws: `CarillonError` when the server cannot be reached and there is no answer on disk, and when it refuses.
    public func page(
        _ query: ContentQuery = ContentQuery(),
        after cursor: String? = nil
    ) async throws(CarillonError) -> ContentPage<Row> {
        let (answer, failure) = try await content.latest(try request(query, cursor), PageShape.self)
        return try ContentPage(answer, isStored: failure != nil, failure: failure)
    }

    /// Pages one after another, each as ``page(_:after:)`` returns it.
    ///
    /// - Parameter query: Which rows.
    /// - Returns: The pages; nothing is fetched before the first is asked for.
    public func pages(_ query: ContentQuery = ContentQuery()) -> ContentPages<Row> {
        ContentPages(table: self, query: query)
    }

    /// A row by its id.
    ///
    /// - Parameter id: The value of the field ``key``.
    /// - Returns: The row, from the server or from disk; `nil`: there is none.
    /// - Throws: `CarillonError` as ``page(_:after:)``.
    public func row(id: String) async throws(CarillonError) -> Row? {
        try await page(.matching(key, id).limit(1)).rows.first
    }

    /// Rows by their ids, in the table's order.
    ///
    /// - Parameter ids: Values of the field ``key``, any number: the server is asked for 50 at a time.
    /// - Returns: The rows; ids without a row are left out.
    /// - Throws: `CarillonError` as ``page(_:after:)``.
    public func rows(ids: [String]) async throws(CarillonError) -> [Row] {
        var (rows, rest) = ([Row](), Array(Set(ids)).sorted()[...])
        while !rest.isEmpty {
            rows += try await page(.matching(key, Array(rest.prefix(50)))).rows
            rest = rest.dropFirst(50)
        }
        return rows
    }

    // MARK: - Following

    /// Has new rows that fit bring the user a push; see ``ContentClient/follow(_:)``.
    ///
    /// - Parameters:
    ///   - query: Which rows; it has no times.
    ///   - name: The follow's name; `nil`: one that is made of the query.
    ///   - isBundled: Whether new rows come once a day, together.
    /// - Returns: The follow, sent or not.
    /// - Throws: `CarillonError` as ``ContentClient/follow(_:)``.
    @discardableResult
    public func follow(
        _ query: ContentQuery,
        name: String? = nil,
        isBundled: Bool = false
    ) async throws(CarillonError) -> ContentFollow {
        try await content.follow(
            ContentFollow(set: set, table: self.name, name: name, query: query, isBundled: isBundled)
        )
    }

    /// Stops following what was followed without a name; see ``ContentClient/stopFollowing(_:in:)``.
    ///
    /// - Parameter query: The same query.
    /// - Throws: `CarillonError` as ``ContentClient/stopFollowing(_:in:)``.
    public func stopFollowing(_ query: ContentQuery) async throws(CarillonError) {
        try await content.stopFollowing(query.followName(table: name), in: set)
    }

    // MARK: - Private

    private func request(_ query: ContentQuery, _ cursor: String?) throws(CarillonError) -> ContentRequest {
        try query.check()
        return ContentRequest(try ContentName.checkedSet(set), table: name, query, after: cursor)
    }
}

/// Pages of rows, one after another.
///
/// ```swift
/// for try await page in shows.pages(.near(place)) { list += page.rows }
/// ```
///
/// For a list that grows as the person scrolls, keep an iterator and ask it for the next page. A list that stays open while the
/// table is imported twice ends with an error whose `isOutdatedCursor` is true: begin anew.
public struct ContentPages<Row: Decodable & Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = ContentPage<Row>

    let table: ContentTable<Row>
    let query: ContentQuery

    /// Makes an iterator at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(table: table, query: query) }

    /// Asks for one page after another.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let table: ContentTable<Row>
        let query: ContentQuery
        private var cursor: String?
        private var isOver = false

        init(table: ContentTable<Row>, query: ContentQuery) {
            self.table = table
            self.query = query
        }

        /// The next page.
        ///
        /// - Returns: `nil` after the last one.
        /// - Throws: `CarillonError`; the next call asks for the same page again.
        public mutating func next() async throws -> ContentPage<Row>? {
            guard !isOver else { return nil }
            let page = try await table.page(query, after: cursor)
            cursor = page.nextCursor
            isOver = page.nextCursor == nil
            return page
        }
    }
}
