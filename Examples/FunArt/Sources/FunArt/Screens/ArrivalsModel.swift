public import Foundation

/// The next buses of a route.
public struct ArrivalsState: Hashable, Sendable {
    /// The route.
    public let route: BusRoute
    /// The next bus at each stop; `nil` until the first answer.
    public var rows: [BusArrival]?
    /// When the server answered last.
    public var updatedAt: Date?
    /// Whether these are the last rows, because the server cannot be reached now.
    public var isStored = false
    /// Why the last question had no answer; the rows of the one before stay.
    public var failure: Failure?

    /// Name and ends.
    public var title: String { route.ends.isEmpty ? route.name : "\(route.name)(\(route.ends))" }
    /// When the server answered last, `19:30`; empty before.
    public var updated: String { updatedAt.map(Day.time) ?? "" }
}

/// A row of the arrivals in words.
public struct ArrivalWords: Hashable, Sendable {
    /// The stop's name.
    public let name: String
    /// `19:30`, or that nobody knows.
    public let time: String
    /// Which way the bus goes.
    public let direction: String
    /// Whether the bus is on its way back.
    public let isInbound: Bool
    /// Whether a bus told it, and not the timetable alone.
    public let isPredicted: Bool

    /// Puts an arrival into words.
    ///
    /// - Parameters:
    ///   - arrival: The arrival.
    ///   - texts: The language.
    public init(_ arrival: BusArrival, in texts: Texts) {
        name = arrival.name
        time = arrival.time.map(Day.time) ?? texts.notProvided
        direction = arrival.isInbound ? texts.inbound : texts.outbound
        isInbound = arrival.isInbound
        isPredicted = arrival.isPredicted
    }
}

/// Shows when the next buses of a route come.
@MainActor
public final class ArrivalsModel: Screen<ArrivalsState> {
    init(_ route: BusRoute, _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        super.init(ArrivalsState(route: route), services, onSignedOut: onSignedOut)
    }

    /// Asks the server, at first and when the person pulls the list down.
    public func refresh() async {
        let route = state.route.id
        let result = await attempt { () async throws(Failure) in try await services.buses.arrivals(of: route) }
        switch result {
        case .success(let loaded):
            var new = state
            (new.rows, new.isStored, new.failure) = (loaded.value, loaded.isStored, nil)
            if !loaded.isStored { new.updatedAt = services.now() }
            state = new
        case .failure(let failure): state.failure = failure
        }
    }
}
