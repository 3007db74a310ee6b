public import Carillon
import CarillonModel
import Foundation

/// The App's content sets: rows of public data, arrivals of buses and trains, and what the user follows.
///
/// ```swift
/// struct Show: Decodable, Sendable {
///     var id: String
///     var title: String
///     var startsAt: Date?
/// }
///
/// let shows = carillon.content.table("events", of: Show.self)
/// let page = try await shows.page(.matching("city", "高雄市").words("音樂"))
/// try await shows.follow(.matching("category", "1"))
/// ```
///
/// What was fetched stays on disk, the latest 20 megabytes, and shows without a network too.
public struct ContentClient: Sendable {
    let client: CarillonClient
    let follows: FollowCoordinator

    init(client: CarillonClient, follows: FollowCoordinator) {
        self.client = client
        self.follows = follows
    }

    /// A table of a content set, whose rows are read as a type of the app's.
    ///
    /// It sends nothing; a name that no table has is refused by the first request.
    ///
    /// - Parameters:
    ///   - set: The content set's name.
    ///   - table: The table's name; `nil`: the only one.
    ///   - key: The field that names a row.
    ///   - type: The rows' type. Its coding keys are the names of the definition's fields; fields without a value are missing.
    ///     Times are read as `Date` or `Timestamp`, positions as ``ContentPlace``, lists as `[String]`.
    /// - Returns: The table.
    public func table<Row: Decodable & Sendable>(
        _ set: String,
        _ table: String? = nil,
        key: String = "id",
        of type: Row.Type = Row.self
    ) -> ContentTable<Row> {
        ContentTable(content: self, set: set, name: table, key: key)
    }

    // MARK: - Arrivals

    /// The next arrivals at the stops of a route, from the server, or the last answer when that cannot be reached.
    ///
    /// - Parameters:
    ///   - route: The route's id, in the table `routes`.
    ///   - set: The content set's name.
    /// - Returns: The arrivals.
    /// - Throws: `CarillonError`; `refused` with the problem's code `unknown-content-row` for an unknown route, and `conflict`
    ///   for one without a timetable.
    public func arrivals(onRoute route: String, in set: String) async throws(CarillonError) -> ContentArrivals {
        let request = ContentRequest(try ContentName.checkedSet(set), "arrivals", [("route", route)])
        let (answer, failure) = try await latest(request, ContentArrivals.Answer.self)
        guard let told = answer.decoded(ContentArrivals.Answer.self) else { throw .unreachable(.badAnswer) }
        return ContentArrivals(told, fetchedAt: answer.fetchedAt, isStored: failure != nil, failure: failure)
    }

    // MARK: - Follows

    /// Has new rows of a table bring the user a push, on all their phones, where the table has an alert.
    ///
    /// It is on disk before it is sent, and is sent later when the server cannot be reached now, or somebody before it answers
    /// instead: its ``ContentFollow/isSent`` is false until then. A follow of the same name is replaced; when that happens to this
    /// one before the server's answer, its ``ContentFollow/isReplaced`` is true.
    ///
    /// - Parameter follow: What to follow.
    /// - Returns: The follow, sent, waiting or replaced.
    /// - Throws: `CarillonError`; `invalidArgument`, `userRequired` without a user or when another one comes meanwhile, `refused` for
    ///   a set, a table or a field that is not there or not indexed, for more than 100 follows in a set, and for a place where the
    ///   server does not know users for sure. Nothing is followed then.
    @discardableResult
    public func follow(_ follow: ContentFollow) async throws(CarillonError) -> ContentFollow {
        _ = try ContentName.checkedSet(follow.set)
        try ContentName.checkFollow(follow.name)
        try follow.query.checkForFollow()
        let outcome = try await follows.put(FollowRecord(follow), name: follow.name, in: follow.set, client)
        return follow.with(isSent: outcome.isSent, isReplaced: outcome.isReplaced)
    }

    /// Stops following, here at once and on the server as soon as it can be reached.
    ///
    /// - Parameters:
    ///   - name: The follow's name; one that the user does not follow is ignored.
    ///   - set: The content set's name.
    /// - Throws: `CarillonError`; `userRequired` without a user, `storage` when it cannot be saved.
    public func stopFollowing(_ name: String, in set: String) async throws(CarillonError) {
        _ = try ContentName.checkedSet(set)
        try ContentName.checkFollow(name)
        _ = try await follows.put(nil, name: name, in: set, client)
    }

    /// Fetches what the user follows in a set; what waits to be sent is sent first.
    ///
    /// - Parameter set: The content set's name.
    /// - Returns: The follows, with those that still wait.
    /// - Throws: `CarillonError`; ``storedFollows(in:)`` returns what was fetched last. `userRequired` without a user.
    @discardableResult
    public func fetchFollows(in set: String) async throws(CarillonError) -> ContentFollows {
        try await follows.fetch(try ContentName.checkedSet(set), client)
    }

    /// What the user follows in a set as it was fetched last, with what was followed and stopped since; nothing without a user.
    ///
    /// - Parameter set: The content set's name.
    /// - Returns: The follows.
    /// - Throws: `CarillonError` when the phone's storage cannot be read.
    public func storedFollows(in set: String) async throws(CarillonError) -> ContentFollows {
        try await follows.view(try ContentName.checkedSet(set), client)
    }

    /// How many follows and stops wait for the server.
    ///
    /// - Throws: `CarillonError` when the phone's storage cannot be read.
    public var waitingCount: Int {
        get async throws(CarillonError) { try await follows.waitingCount(client) }
    }
}

// MARK: - Requests

extension ContentClient {
    /// Asks the server, and keeps the answer on disk.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - shape: What the answer must be readable as: something else, such as a captive portal, replaces no answer.
    /// - Returns: The answer.
    /// - Throws: `CarillonError`.
    func fetch(
        _ request: ContentRequest,
        _ shape: (some Decodable).Type
    ) async throws(CarillonError) -> StoredAnswer {
        let body = try await client.request("GET", request.path, query: request.query)
        let answer = StoredAnswer(request: request.text, fetchedAt: client.time.now(), body: body)
        guard answer.decoded(shape) != nil else { throw .unreachable(.badAnswer) }
        // What cannot be kept is shown all the same.
        try? ContentStorage(client.configuration).save(answer, of: request)
        return answer
    }

    /// The last answer to a request.
    func stored(_ request: ContentRequest) throws(CarillonError) -> StoredAnswer? {
        try ContentStorage(client.configuration).answer(to: request)
    }

    /// Asks the server; when that cannot be reached, the last answer, and why it is.
    func latest(
        _ request: ContentRequest,
        _ shape: (some Decodable).Type
    ) async throws(CarillonError) -> (StoredAnswer, CarillonError?) {
        do throws(CarillonError) {
            return (try await fetch(request, shape), nil)
        } catch {
            guard error.isOfNetwork, let answer = try? stored(request) else { throw error }
            return (answer, error)
        }
    }
}

extension CarillonError {
    /// Whether a list's cursor belongs to a version of its table that is gone: the list begins anew.
    public var isOutdatedCursor: Bool { problem?.errors?.contains { $0.field == "cursor" } ?? false }

    /// Whether the server was not reached, or could not answer.
    var isOfNetwork: Bool { [.unreachable, .unavailable, .deadlineExceeded].contains(code) }
}
