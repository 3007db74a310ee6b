/// The map around a venue.
public struct MapState: Hashable, Sendable {
    /// A stop on the map.
    public struct Pin: Hashable, Sendable, Identifiable {
        /// The stop.
        public let stop: BusStop
        /// The names of its routes; `nil` until somebody asked.
        public var routes: String?

        /// The stop's id.
        public var id: String { stop.id }
        /// Name and code, as on the sign.
        public var title: String { "\(stop.name)(\(stop.code))" }
    }

    /// The session whose venue it is.
    public let venue: EventSession
    /// Where the venue is.
    public let center: Position
    /// The stops, nearest first.
    public var pins: [Pin] = []
    /// The stop that the person tapped.
    public var selected: String?
    /// Whether the server is asked.
    public var isLoading = false
    /// Whether these are the last stops, because the server cannot be reached now.
    public var isStored = false
    /// Why it cannot be shown.
    public var failure: Failure?

    /// Degrees from one edge of the map to the other.
    public static let span = 0.007

    /// Whether the list of all routes can be opened.
    public var hasRouteList: Bool { !pins.isEmpty }
    /// The stop that the person tapped.
    public var selectedPin: Pin? { pins.first { $0.id == selected } }
}

/// Shows a venue and the stops near it.
@MainActor
public final class MapModel: Screen<MapState> {
    /// Metres around the venue: somewhat beyond the edges of the map.
    static let radius = 500.0

    init?(_ venue: EventSession, _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        guard let center = venue.position else { return nil }
        super.init(MapState(venue: venue, center: center), services, onSignedOut: onSignedOut)
    }

    /// Asks for the stops.
    public func load() async {
        (state.isLoading, state.failure) = (true, nil)
        let center = state.center
        let result = await attempt { () async throws(Failure) in
            try await services.buses.stops(near: center, radius: Self.radius)
        }
        state.isLoading = false
        switch result {
        case .success(let loaded):
            (state.pins, state.isStored) = (loaded.value.map { MapState.Pin(stop: $0) }, loaded.isStored)
        case .failure(let failure): state.failure = failure
        }
    }

    /// The person taps a stop: its routes are asked for once.
    ///
    /// - Parameter id: The stop's id; one that is not on the map changes nothing.
    public func select(_ id: String) async {
        guard let index = state.pins.firstIndex(where: { $0.id == id }) else { return }
        state.selected = id
        guard state.pins[index].routes == nil else { return }
        let stop = state.pins[index].stop
        let result = await attempt { () async throws(Failure) in try await services.buses.routes(at: stop) }
        switch result {
        case .success(let routes):
            guard let index = state.pins.firstIndex(where: { $0.id == id }) else { return }
            state.pins[index].routes = routes.map(\.name).joined(separator: ", ")
        case .failure(let failure): state.failure = failure
        }
    }
}
