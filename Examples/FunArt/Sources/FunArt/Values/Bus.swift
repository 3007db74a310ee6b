public import Foundation

/// A stop of city buses.
public struct BusStop: Hashable, Sendable, Identifiable {
    /// The stop's id.
    public var id: String
    /// The name on its sign.
    public var name: String
    /// The public code on its sign.
    public var code: String
    /// Where it is.
    public var position: Position
    /// The ids of the routes that stop there.
    public var routes: [String]

    /// Creates a stop.
    ///
    /// - Parameters:
    ///   - id: The stop's id.
    ///   - name: The name on its sign.
    ///   - code: The public code on its sign.
    ///   - position: Where it is.
    ///   - routes: The ids of the routes that stop there.
    public init(id: String, name: String, code: String, position: Position, routes: [String] = []) {
        self.id = id
        self.name = name
        self.code = code
        self.position = position
        self.routes = routes
    }
}

/// A route of city buses.
public struct BusRoute: Hashable, Sendable, Identifiable {
    /// The route's id.
    public var id: String
    /// The name on the bus, such as `紅12`.
    public var name: String
    /// The two ends, such as `左營站－小港`; empty when unknown.
    public var ends: String

    /// Name and ends.
    public var title: String { ends.isEmpty ? name : "\(name) (\(ends))" }

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - id: The route's id.
    ///   - name: The name on the bus.
    ///   - ends: The two ends.
    public init(id: String, name: String, ends: String = "") {
        self.id = id
        self.name = name
        self.ends = ends
    }
}

/// The next bus at a stop.
public struct BusArrival: Hashable, Sendable {
    /// The stop's id.
    public var stop: String
    /// The stop's name.
    public var name: String
    /// Whether the bus is on its way back.
    public var isInbound: Bool
    /// When it comes; `nil` when none is expected today.
    public var time: Date?
    /// Whether a bus told it, and not the timetable alone.
    public var isPredicted: Bool

    /// Creates an arrival.
    ///
    /// - Parameters:
    ///   - stop: The stop's id.
    ///   - name: The stop's name.
    ///   - isInbound: Whether the bus is on its way back.
    ///   - time: When it comes.
    ///   - isPredicted: Whether a bus told it.
    public init(stop: String, name: String, isInbound: Bool, time: Date?, isPredicted: Bool) {
        self.stop = stop
        self.name = name
        self.isInbound = isInbound
        self.time = time
        self.isPredicted = isPredicted
    }
}
