import Carillon
import CarillonContent

/// What the person follows, at the Carillon server.
struct CarillonFollows: Follows {
    let content: ContentClient
    /// Asks the person for the permission and registers the phone.
    let allowNotifications: @Sendable () async throws(CarillonError) -> Void

    func list() async throws(Failure) -> [Follow] {
        try await withFailure { () async throws(CarillonError) in
            try await follows.follows.compactMap { Follow($0.query) }
        }
    }

    func add(_ follow: Follow) async throws(Failure) {
        try await withFailure { () async throws(CarillonError) -> Void in
            try await allowNotifications()
            try await events.follow(follow.query)
        }
    }

    func remove(_ follow: Follow) async throws(Failure) {
        try await withFailure { () async throws(CarillonError) in
            try await events.stopFollowing(follow.query)
        }
    }

    /// Those of the server, or without a network those that the phone knows.
    private var follows: ContentFollows {
        get async throws(CarillonError) {
            do throws(CarillonError) {
                return try await content.fetchFollows(in: Names.events)
            } catch {
                guard Failure(error).reason == .unreachable else { throw error }
                return try await content.storedFollows(in: Names.events)
            }
        }
    }

    /// Following reads no rows.
    private var events: ContentTable<Nothing> { content.table(Names.events) }

    private struct Nothing: Decodable, Sendable {}
}

extension Follow {
    /// The query that the server looks new rows up by.
    var query: ContentQuery {
        switch self {
        case .kind(let kind): .matching("category", kind.rawValue).matching("city", Names.city)
        case .place(let position): .near(position.place, radius: Follow.radius)
        }
    }

    /// Reads a query; `nil` when it is none of the app's.
    init?(_ query: ContentQuery) {
        if let place = query.place {
            self = .place(Position(place))
        } else if let kind = query.values["category"]?.first.flatMap(EventKind.init) {
            self = .kind(kind)
        } else {
            return nil
        }
    }
}
