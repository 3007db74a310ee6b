/// The list of events.
public struct EventListState: Hashable, Sendable {
    /// The kind of the events.
    public var kind: EventKind
    /// How far ahead.
    public var period: Period
    /// The first day.
    public var from: Day
    /// The last day, which counts.
    public var through: Day
    /// A session for each event; those that follow each other under one title are one.
    public var rows: [EventSession] = []
    /// Whether the server is asked.
    public var isLoading = false
    /// Whether the rows are the last ones, because the server cannot be reached now.
    public var isStored = false
    /// Why there are no rows.
    public var failure: Failure?
}

/// Lists the events of a kind, today and some weeks ahead.
@MainActor
public final class EventListModel: Screen<EventListState> {
    private var running: Task<Void, Never>?

    init(_ kind: EventKind, _ period: Period, _ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        let today = Day(of: services.now())
        let state = EventListState(kind: kind, period: period, from: today, through: today)
        super.init(state, services, onSignedOut: onSignedOut)
    }

    /// Asks the server; a question that is still open is given up.
    public func load() async {
        running?.cancel()
        state.from = Day(of: services.now())
        state.through = state.from.adding(7 * state.period.rawValue)
        (state.isLoading, state.failure) = (true, nil)
        let query = EventQuery(kind: state.kind, from: state.from, through: state.through)
        let task = Task { await fetch(query) }
        running = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Chooses a kind, which begins with one week; the one that is shown changes nothing.
    ///
    /// - Parameter kind: The kind.
    public func choose(_ kind: EventKind) async {
        guard kind != state.kind else { return }
        (state.kind, state.period) = (kind, .oneWeek)
        await load()
    }

    /// Chooses how far ahead; what is shown changes nothing.
    ///
    /// - Parameter period: How far ahead.
    public func choose(_ period: Period) async {
        guard period != state.period else { return }
        state.period = period
        await load()
    }

    // MARK: - Private

    private func fetch(_ query: EventQuery) async {
        let result = await attempt { () async throws(Failure) in try await services.events.sessions(query) }
        // A newer question is on its way.
        guard !Task.isCancelled else { return }
        var new = state
        new.isLoading = false
        switch result {
        case .success(let loaded): (new.rows, new.isStored) = (Self.collapsed(loaded.value), loaded.isStored)
        case .failure(let failure): (new.rows, new.failure) = ([], failure)
        }
        state = new
    }

    static func collapsed(_ sessions: [EventSession]) -> [EventSession] {
        var rows: [EventSession] = []
        for session in sessions where session.title != rows.last?.title { rows.append(session) }
        return rows
    }
}
