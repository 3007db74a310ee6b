/// The routes near a venue.
public struct RouteListState: Hashable, Sendable {
    /// The routes found so far, each pair of name and ends once.
    public var routes: [BusRoute] = []
    /// Whether stops are left to ask for.
    public var isLoading = false
    /// Why the list is not whole.
    public var failure: Failure?
}

/// Lists the routes that stop at some stops.
@MainActor
public final class RouteListModel: Screen<RouteListState> {
    private let stops: [BusStop]

    init(_ stops: [BusStop], _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        self.stops = stops
        super.init(RouteListState(), services, onSignedOut: onSignedOut)
    }

    /// Asks for the routes of one stop after another; the list grows with each answer.
    public func load() async {
        state = RouteListState(isLoading: true)
        for stop in stops {
            let result = await attempt { () async throws(Failure) in try await services.buses.routes(at: stop) }
            guard !Task.isCancelled else { break }
            switch result {
            case .success(let routes): add(routes)
            case .failure(let failure):
                state.failure = failure
                state.isLoading = false
                return
            }
        }
        state.isLoading = false
    }

    /// Several ids may have one name and the same ends: the first one stands for them.
    private func add(_ routes: [BusRoute]) {
        for route in routes
        where !state.routes.contains(where: { ($0.name, $0.ends) == (route.name, route.ends) }) {
            state.routes.append(route)
        }
    }
}
