/// What the app shows before any other screen.
public struct FunArtState: Hashable, Sendable {
    /// Where the person is.
    public enum Place: Hashable, Sendable {
        /// The server is asked who uses the app.
        case starting
        /// The screen for signing in.
        case signIn
        /// The kinds of events, and what follows from them.
        case kinds
    }

    /// Where the person is.
    public var place = Place.starting
    /// Who uses the app.
    public var person: Person?
    /// Why the server could not be asked.
    public var failure: Failure?
    /// The event of a notification that the person tapped.
    public var openedEvent: String?

    /// Whether a person is signed in and the server could not be asked: the screens show its last answers.
    public var isOffline: Bool { place == .kinds && failure != nil }
}

/// The app: who uses it, and which screen that leads to.
@MainActor
public final class FunArtModel: Screen<FunArtState> {
    /// Creates the app.
    ///
    /// - Parameter services: What it needs of the world.
    public init(_ services: Services) { super.init(FunArtState(), services, onSignedOut: {}) }

    /// The app was launched.
    public func start() async {
        state.place = .starting
        await refresh()
    }

    /// The app came back to the foreground: a session may have ended meanwhile.
    public func didBecomeActive() async { await refresh() }

    /// A person has signed in.
    ///
    /// - Parameter person: The person.
    public func didSignIn(_ person: Person) { show(person) }

    /// The person signs out; the screen for signing in follows in any case.
    public func signOut() async {
        try? await services.accounts.signOut()
        show(nil)
    }

    /// The person tapped a notification.
    ///
    /// - Parameter event: The event that it is about.
    public func open(event: String) { state.openedEvent = event }

    /// The event of the tapped notification, once.
    ///
    /// - Returns: `nil` when there is none, or nobody is signed in.
    public func takeOpenedEvent() -> String? {
        guard state.place == .kinds else { return nil }
        defer { state.openedEvent = nil }
        return state.openedEvent
    }

    // MARK: - The screens

    /// The screen for signing in.
    public func signIn() -> SignInModel {
        SignInModel(services) { [weak self] in self?.didSignIn($0) }
    }

    /// The list of a kind's events.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - period: How far ahead.
    /// - Returns: The screen.
    public func list(_ kind: EventKind, period: Period = .oneWeek) -> EventListModel {
        EventListModel(kind, period, services, onSignedOut: ended)
    }

    /// An event.
    ///
    /// - Parameter id: The event's id.
    /// - Returns: The screen.
    public func event(_ id: String) -> EventModel { EventModel(id, services, onSignedOut: ended) }

    /// The map around a session's venue.
    ///
    /// - Parameter venue: The session.
    /// - Returns: The screen; `nil` when nobody knows where the venue is.
    public func map(_ venue: EventSession) -> MapModel? { MapModel(venue, services, onSignedOut: ended) }

    /// The routes that stop at some stops.
    ///
    /// - Parameter stops: The stops.
    /// - Returns: The screen.
    public func routes(_ stops: [BusStop]) -> RouteListModel { RouteListModel(stops, services, onSignedOut: ended) }

    /// The next buses of a route.
    ///
    /// - Parameter route: The route.
    /// - Returns: The screen.
    public func arrivals(_ route: BusRoute) -> ArrivalsModel { ArrivalsModel(route, services, onSignedOut: ended) }

    /// The next buses of a route that only its id is known of, as on a page with an address of its own.
    ///
    /// - Parameter id: The route's id.
    /// - Returns: The screen; `nil` when there is no such route.
    public func arrivals(ofRoute id: String) async -> ArrivalsModel? {
        let result = await attempt { () async throws(Failure) in try await services.buses.route(id) }
        if case .failure(let failure) = result, failure.reason == .signedOut { show(nil) }
        // Without a network the last arrivals may be known all the same.
        guard case .success(let route) = result else { return arrivals(BusRoute(id: id, name: id)) }
        return route.map(arrivals)
    }

    /// What the person follows.
    ///
    /// - Returns: The screen.
    public func follows() -> FollowsModel { FollowsModel(services, onSignedOut: ended) }

    // MARK: - Private

    private var ended: @MainActor () -> Void { { [weak self] in self?.show(nil) } }

    private func refresh() async {
        switch await attempt({ () async throws(Failure) in try await services.accounts.refresh() }) {
        case .success(let person): show(person)
        case .failure(let failure) where failure.reason == .signedOut: show(nil)
        case .failure(let failure):
            // Who is signed in stays so without a network; at the start the phone knows who that is.
            if state.place == .starting { show(await services.accounts.current()) }
            state.failure = failure
        }
    }

    /// A guest has to sign in: what counts is whether the account is one, not its name.
    private func show(_ person: Person?) {
        var new = FunArtState()
        new.person = person.flatMap { $0.isGuest ? nil : $0 }
        new.place = new.person == nil ? .signIn : .kinds
        new.openedEvent = state.openedEvent
        state = new
    }
}
