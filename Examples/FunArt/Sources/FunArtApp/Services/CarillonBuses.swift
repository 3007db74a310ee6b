import Carillon
import CarillonContent
import Foundation

/// A row of the table `stops`.
private struct StopRow: Decodable, Hashable, Sendable {
    var id: String
    var name: String
    var code: String?
    var position: ContentPlace?
    var routes: [String]?

    /// A stop that is nowhere cannot be walked to.
    var stop: BusStop? {
        position.map {
            BusStop(id: id, name: name, code: code ?? id, position: Position($0), routes: routes ?? [])
        }
    }
}

/// A row of the table `routes`; its timetable is for the server.
private struct RouteRow: Decodable, Hashable, Sendable {
    var id: String
    var name: String
    var description: String?

    var route: BusRoute { BusRoute(id: id, name: name, ends: description ?? "") }
}

/// Buses in a content set of the Carillon server.
struct CarillonBuses: Buses {
    let content: ContentClient

    func stops(near place: Position, radius: Double) async throws(Failure) -> Loaded<[BusStop]> {
        try await withFailure { () async throws(CarillonError) -> Loaded<[BusStop]> in
            let page = try await stops.page(.near(place.place, radius: radius))
            return Loaded(page.rows.compactMap(\.stop), isStored: page.isStored)
        }
    }

    func stops(_ ids: [String]) async throws(Failure) -> [BusStop] {
        try await withFailure { () async throws(CarillonError) in
            try await stops.rows(ids: ids).compactMap(\.stop)
        }
    }

    func routes(at stop: BusStop) async throws(Failure) -> [BusRoute] {
        guard !stop.routes.isEmpty else { return [] }
        return try await withFailure { () async throws(CarillonError) in
            try await routes.rows(ids: stop.routes).map(\.route)
        }
    }

    func route(_ id: String) async throws(Failure) -> BusRoute? {
        try await withFailure { () async throws(CarillonError) in try await routes.row(id: id)?.route }
    }

    func arrivals(of route: String) async throws(Failure) -> Loaded<[BusArrival]> {
        try await withFailure { () async throws(CarillonError) -> Loaded<[BusArrival]> in
            let answer = try await content.arrivals(onRoute: route, in: Names.buses)
            return Loaded(answer.items.map(Self.arrival), isStored: answer.isStored)
        }
    }

    private var stops: ContentTable<StopRow> { content.table(Names.buses, "stops") }
    private var routes: ContentTable<RouteRow> { content.table(Names.buses, "routes") }

    private static func arrival(_ arrival: ContentArrivals.Arrival) -> BusArrival {
        BusArrival(
            stop: arrival.stop,
            name: arrival.name ?? arrival.stop,
            isInbound: arrival.isInbound,
            time: arrival.time?.date,
            isPredicted: arrival.isPredicted
        )
    }
}
