public import Foundation

/// An event.
public struct EventState: Hashable, Sendable {
    /// The event's id.
    public let event: String
    /// Its sessions; empty until they are loaded, and when there is no such event.
    public var sessions: [EventSession] = []
    /// The position of the session that is shown.
    public var chosen = 0
    /// Whether the server is asked.
    public var isLoading = false
    /// Whether this is the last answer, because the server cannot be reached now.
    public var isStored = false
    /// Why it cannot be shown.
    public var failure: Failure?
    /// Whether the person hears of new events around the venue; `nil`: not known yet.
    public var isPlaceFollowed: Bool?

    /// The session that is shown.
    public var session: EventSession? { sessions.indices.contains(chosen) ? sessions[chosen] : nil }
    /// Whether there are several to choose from.
    public var hasSeveralSessions: Bool { sessions.count > 1 }
}

/// What the screen says of an event.
public struct EventDetails: Hashable, Sendable {
    /// The title.
    public let title: String
    /// The picture.
    public let image: URL?
    /// `2026/11/26 19:30`; empty when unknown.
    public let time: String
    /// The venue's name.
    public let place: String
    /// The venue's address.
    public let address: String
    /// What the event is.
    public let description: String
    /// Where tickets are sold.
    public let source: String
    /// Who organizes it.
    public let organizer: String
    /// First and last day.
    public let period: String
    /// The price; `nil` when nothing is paid.
    public let price: String?
    /// The button for tickets; `nil` when nothing is paid, or nobody knows where they are sold.
    public let ticketURL: URL?

    /// Whether nothing is paid.
    public var isFree: Bool { price == nil }

    /// Puts a session into words.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - texts: The language.
    public init(_ session: EventSession, in texts: Texts) {
        title = session.title
        image = session.image
        time = session.startsAt.map(Day.dateAndTime) ?? ""
        place = session.place
        address = session.address
        description = session.description.isEmpty ? texts.notProvided : session.description
        source = session.source.isEmpty ? texts.notAvailable : session.source
        organizer = session.organizer
        let days = [session.startDate, session.endDate].filter { !$0.isEmpty }
        period = days.map { $0.replacingOccurrences(of: "-", with: "/") }.joined(separator: " - ")
        price = session.isFree ? nil : session.price.isEmpty ? texts.notAvailable : session.price
        ticketURL = session.isFree ? nil : session.ticketURL
    }
}

/// Shows an event and its sessions.
@MainActor
public final class EventModel: Screen<EventState> {
    /// What the person follows; `nil` without an answer.
    private var followed: [Follow]?

    init(_ event: String, _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        super.init(EventState(event: event), services, onSignedOut: onSignedOut)
    }

    /// Asks the server.
    public func load() async {
        (state.isLoading, state.failure) = (true, nil)
        let event = state.event
        let result = await attempt { () async throws(Failure) in try await services.events.sessions(of: event) }
        state.isLoading = false
        switch result {
        case .success(let loaded):
            (state.sessions, state.isStored) = (loaded.value, loaded.isStored)
            if !state.sessions.indices.contains(state.chosen) { state.chosen = 0 }
            await readFollows()
        case .failure(let failure): state.failure = failure
        }
    }

    /// Chooses a session.
    ///
    /// - Parameter index: Its position; one that does not exist changes nothing.
    public func choose(_ index: Int) {
        guard state.sessions.indices.contains(index) else { return }
        state.chosen = index
        showFollow()
    }

    /// Follows the venue of the session that is shown, or stops it.
    public func toggleFollow() async {
        guard let position = state.session?.position, let isFollowed = state.isPlaceFollowed else { return }
        let result = await attempt { () async throws(Failure) -> Void in
            if isFollowed {
                try await services.follows.remove(.place(position))
            } else {
                try await services.follows.add(.place(position))
            }
        }
        switch result {
        case .success:
            followed?.removeAll { $0 == .place(position) }
            if !isFollowed { followed?.append(.place(position)) }
            state.failure = nil
            showFollow()
        case .failure(let failure): state.failure = failure
        }
    }

    private func readFollows() async {
        let result = await attempt { () async throws(Failure) in try await services.follows.list() }
        followed = try? result.get()
        showFollow()
    }

    /// Without an answer, or without a place, there is no button.
    private func showFollow() {
        state.isPlaceFollowed = state.session?.position.flatMap { place in followed?.contains(.place(place)) }
    }
}
