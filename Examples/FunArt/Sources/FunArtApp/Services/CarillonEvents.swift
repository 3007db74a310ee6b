import Carillon
import CarillonContent
import Foundation

/// A row of the table `events`.
private struct EventRow: Decodable, Hashable, Sendable {
    var id: String
    var event: String
    var title: String
    var startsAt: Date?
    var place: String?
    var address: String?
    var position: ContentPlace?
    var price: String?
    var isFree: Bool?
    var image: URL?
    var description: String?
    var startDate: String?
    var endDate: String?
    var organizer: String?
    var source: String?
    var ticketURL: URL?

    var session: EventSession {
        var session = EventSession(id: id, event: event, title: title, startsAt: startsAt)
        session.place = place ?? ""
        session.address = address ?? ""
        session.position = position.map(Position.init)
        session.price = price ?? ""
        session.isFree = isFree ?? false
        session.image = image
        session.description = description ?? ""
        session.startDate = startDate ?? ""
        session.endDate = endDate ?? ""
        session.organizer = organizer ?? ""
        session.source = source ?? ""
        session.ticketURL = ticketURL
        return session
    }
}

/// Events in a content set of the Carillon server.
struct CarillonEvents: Events {
    let content: ContentClient

    func sessions(_ query: EventQuery) async throws(Failure) -> Loaded<[EventSession]> {
        try await all(
            .matching("category", query.kind.rawValue)
                .matching("city", Names.city)
                .times("startsAt", from: query.from.start, until: query.through.adding(1).start)
        )
    }

    func sessions(of event: String) async throws(Failure) -> Loaded<[EventSession]> {
        try await all(.matching("event", event))
    }

    private func all(_ query: ContentQuery) async throws(Failure) -> Loaded<[EventSession]> {
        let table = content.table(Names.events, of: EventRow.self)
        return try await withFailure { () async throws(CarillonError) -> Loaded<[EventSession]> in
            var loaded = Loaded<[EventSession]>([])
            var cursor: String?
            repeat {
                let page = try await table.page(query.limit(200), after: cursor)
                loaded.value += page.rows.map(\.session)
                loaded.isStored = loaded.isStored || page.isStored
                cursor = page.nextCursor
            } while cursor != nil
            return loaded
        }
    }
}

extension Position {
    init(_ place: ContentPlace) { self.init(latitude: place.latitude, longitude: place.longitude) }

    var place: ContentPlace { ContentPlace(latitude: latitude, longitude: longitude) }
}
