public import Foundation

/// Signs people in and out.
public protocol Accounts: Sendable {
    /// Asks the server who uses the app.
    ///
    /// - Returns: `nil` when nobody is signed in.
    /// - Throws: ``Failure`` when the server cannot be asked; who is signed in stays so.
    func refresh() async throws(Failure) -> Person?
    /// Who is signed in as the phone knows, without asking the server; `nil` when nobody is.
    func current() async -> Person?
    /// Creates an account and signs the person in.
    func signUp(name: String, password: String) async throws(Failure) -> Person
    /// Signs a person in.
    func signIn(name: String, password: String) async throws(Failure) -> Person
    /// Signs the person out, on the phone at once.
    func signOut() async throws(Failure)
}

/// Which events are listed.
public struct EventQuery: Hashable, Sendable {
    /// Their kind.
    public var kind: EventKind
    /// The first day.
    public var from: Day
    /// The last day, which counts.
    public var through: Day

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - kind: The kind of the events.
    ///   - from: The first day.
    ///   - through: The last day, which counts.
    public init(kind: EventKind, from: Day, through: Day) {
        self.kind = kind
        self.from = from
        self.through = through
    }
}

/// Finds events of the app's city.
public protocol Events: Sendable {
    /// The sessions of events, those of an event together.
    func sessions(_ query: EventQuery) async throws(Failure) -> Loaded<[EventSession]>
    /// All sessions of an event; empty when there is no such event.
    func sessions(of event: String) async throws(Failure) -> Loaded<[EventSession]>
}

/// Finds buses.
public protocol Buses: Sendable {
    /// The stops around a place, nearest first.
    ///
    /// - Parameters:
    ///   - place: The place.
    ///   - radius: Metres.
    /// - Returns: The stops.
    /// - Throws: ``Failure`` when the server refuses, or cannot be reached and nothing is stored.
    func stops(near place: Position, radius: Double) async throws(Failure) -> Loaded<[BusStop]>
    /// Stops by their ids; those that nobody knows are left out.
    func stops(_ ids: [String]) async throws(Failure) -> [BusStop]
    /// The routes that stop at a stop.
    func routes(at stop: BusStop) async throws(Failure) -> [BusRoute]
    /// A route; `nil` when there is none of the id.
    func route(_ id: String) async throws(Failure) -> BusRoute?
    /// The next bus at each stop of a route, outbound ones first.
    func arrivals(of route: String) async throws(Failure) -> Loaded<[BusArrival]>
}

/// What the person wants to hear of.
public protocol Follows: Sendable {
    /// All of it.
    func list() async throws(Failure) -> [Follow]
    /// Adds one; the phone asks for the permission to show notifications, if it has not been asked before.
    func add(_ follow: Follow) async throws(Failure)
    /// Removes one.
    func remove(_ follow: Follow) async throws(Failure)
}

/// What the screens need of the world.
public struct Services: Sendable {
    /// Signs people in and out.
    public var accounts: any Accounts
    /// Finds events.
    public var events: any Events
    /// Finds buses.
    public var buses: any Buses
    /// What the person wants to hear of.
    public var follows: any Follows
    /// The current time.
    public var now: @Sendable () -> Date

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - accounts: Signs people in and out.
    ///   - events: Finds events.
    ///   - buses: Finds buses.
    ///   - follows: What the person wants to hear of.
    ///   - now: The current time.
    public init(
        accounts: any Accounts,
        events: any Events,
        buses: any Buses,
        follows: any Follows,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.accounts = accounts
        self.events = events
        self.buses = buses
        self.follows = follows
        self.now = now
    }
}
