import Foundation

// What the templates show: Mustache reads stored properties alone.

/// The screen for signing in.
struct SignInView {
    let isSignUp: Bool
    let name: String
    let button: String
    let alertTitle: String?
    let alert: String?

    init(_ state: SignInState, _ texts: Texts) {
        isSignUp = state.mode == .signUp
        name = state.name
        button = isSignUp ? texts.signUp : texts.signIn
        alertTitle = state.problem == nil ? nil : texts.alertTitle(state.mode)
        alert = state.problem.map(texts.text)
    }
}

/// An entry of a choice.
struct Choice {
    let value: String
    let name: String
    let isChosen: Bool

    static func kinds(_ texts: Texts, chosen: EventKind? = nil) -> [Choice] {
        EventKind.allCases.map { Choice(value: $0.rawValue, name: texts.name(of: $0), isChosen: $0 == chosen) }
    }
}

/// Why a page shows nothing, or what it shows is old.
struct TroubleView {
    let failure: String?
    let isStored: Bool

    init(_ failure: Failure?, isStored: Bool = false, _ texts: Texts) {
        self.failure = failure.map(texts.text)
        self.isStored = isStored
    }
}

/// The nine kinds.
struct KindsView {
    let kinds: [Choice]
    let trouble: TroubleView
}

/// The list of events.
struct EventListView {
    struct Row {
        /// As addresses have it, as in all views.
        let event: String
        let title: String
        let time: String
        let place: String
        let image: String?
    }

    let kinds: [Choice]
    let periods: [Choice]
    let range: String
    let rows: [Row]
    let isEmpty: Bool
    let trouble: TroubleView

    init(_ state: EventListState, _ texts: Texts) {
        kinds = Choice.kinds(texts, chosen: state.kind)
        periods = Period.allCases.map {
            Choice(value: String($0.rawValue), name: texts.name(of: $0), isChosen: $0 == state.period)
        }
        range = "\(state.from.text) – \(state.through.text)"
        rows = state.rows.map { session in
            let details = EventDetails(session, in: texts)
            return Row(
                event: Address.escaped(session.event),
                title: details.title,
                time: details.time,
                place: details.place,
                image: details.image?.absoluteString
            )
        }
        isEmpty = rows.isEmpty && state.failure == nil
        trouble = TroubleView(state.failure, isStored: state.isStored, texts)
    }
}

/// An event.
struct EventView {
    struct Session {
        let index: Int
        let time: String
        let isChosen: Bool
    }

    struct Details {
        let title: String
        let image: String?
        let time: String
        let place: String
        let address: String
        let description: String
        let source: String
        let organizer: String
        let period: String
        let price: String
        let isFree: Bool
        let ticketURL: String?
    }

    let event: String
    let chosen: Int
    let details: Details?
    let hasSessions: Bool
    let sessions: [Session]
    let hasMap: Bool
    /// The button's words; `nil`: no button.
    let followButton: String?
    let trouble: TroubleView

    init(_ state: EventState, _ texts: Texts) {
        event = Address.escaped(state.event)
        chosen = state.chosen
        details = state.session.map { Details(EventDetails($0, in: texts), texts) }
        hasSessions = state.hasSeveralSessions
        sessions = state.sessions.enumerated().map { index, session in
            Session(index: index, time: EventDetails(session, in: texts).time, isChosen: index == state.chosen)
        }
        hasMap = state.session?.position != nil
        followButton = state.isPlaceFollowed.map { $0 ? texts.unfollowPlace : texts.followPlace }
        trouble = TroubleView(state.failure, isStored: state.isStored, texts)
    }
}

extension EventView.Details {
    init(_ details: EventDetails, _ texts: Texts) {
        title = details.title
        image = details.image?.absoluteString
        time = details.time
        place = details.place
        address = details.address
        description = details.description
        source = details.source
        organizer = details.organizer
        period = details.period
        price = details.price ?? texts.free
        isFree = details.isFree
        ticketURL = details.ticketURL?.absoluteString
    }
}

/// The routes near a venue.
struct RouteListView {
    struct Row {
        let id: String
        let title: String
    }

    let event: String
    let session: Int
    let rows: [Row]
    let isEmpty: Bool
    let trouble: TroubleView

    init(_ state: RouteListState, event: String, session: Int, _ texts: Texts) {
        self.event = Address.escaped(event)
        self.session = session
        rows = state.routes.map { Row(id: Address.escaped($0.id), title: $0.title) }
        isEmpty = rows.isEmpty && state.failure == nil
        trouble = TroubleView(state.failure, texts)
    }
}

/// The next buses of a route.
struct ArrivalsView {
    struct Row {
        let name: String
        let time: String
        let direction: String
        let isInbound: Bool
        let isPredicted: Bool
    }

    let texts: Texts
    let route: String
    let title: String
    let rows: [Row]
    let isLoading: Bool
    let updated: String
    let trouble: TroubleView

    init(_ state: ArrivalsState, _ texts: Texts) {
        self.texts = texts
        route = Address.escaped(state.route.id)
        title = state.title
        rows = (state.rows ?? []).map { arrival in
            let words = ArrivalWords(arrival, in: texts)
            return Row(
                name: words.name,
                time: words.time,
                direction: words.direction,
                isInbound: words.isInbound,
                isPredicted: words.isPredicted
            )
        }
        isLoading = state.rows == nil && state.failure == nil
        updated = state.updated
        trouble = TroubleView(state.failure, isStored: state.isStored, texts)
    }
}

/// What the person follows.
struct FollowsView {
    struct Place {
        let latitude: Double
        let longitude: Double
        let text: String
    }

    let kinds: [Choice]
    let places: [Place]
    let hasNoPlaces: Bool
    let trouble: TroubleView

    init(_ state: FollowsState, _ texts: Texts) {
        kinds = EventKind.allCases.map {
            Choice(value: $0.rawValue, name: texts.name(of: $0), isChosen: state.kinds.contains($0))
        }
        places = state.places.map { Place(latitude: $0.latitude, longitude: $0.longitude, text: $0.text) }
        hasNoPlaces = places.isEmpty
        trouble = TroubleView(state.failure, texts)
    }
}

/// What the app is.
struct AboutView {
    let person: String
    let languages: [Choice]
    /// For who shows the app: a new event, which the next import finds.
    let kinds: [Choice]
    let announced: String?
}
