public import CarillonModel

/// One firing of a Campaign: a row of `GET /v1/campaigns/{campaign}/occurrences`.
public struct Occurrence: Hashable, Sendable, Codable {
    /// Where an Occurrence stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Its time has not come.
        case planned
        /// Notifications are going out, or are being tried again.
        case sending
        /// The Campaign is paused, and this with it.
        case paused
        /// Nothing new goes out; answers that are under way are being waited for.
        case cancelling
        /// It was cancelled; what had gone out is counted.
        case cancelled
        /// Every targeted Device has an outcome.
        case sent
        /// Nobody could begin it in time, and a later one has taken its place.
        case missed
    }

    /// Its id, once it has begun or was given up.
    public var id: OccurrenceID?
    /// The time on the wall at which it is planned, in the schedule's zone or each Device's own; missing for a Campaign
    /// without a schedule.
    public var at: WallTime?
    /// Which of the groups it is, from 1; missing unless the Campaign is sent in groups.
    public var group: Int?
    /// When it is due; in each Device's own zone, when it is in the first one.
    public var plannedAt: Timestamp
    /// Where it stands.
    public var state: State
    /// Since when some of what was sent of it cannot be committed, because the store does not take it; missing when
    /// nothing waits.
    public var waitingForStoreSince: Timestamp?
    /// When it began to go out.
    public var startedAt: Timestamp?
    /// When it was over.
    public var finishedAt: Timestamp?
    /// About how many notifications are left: Devices that match and were not looked at, and what is tried again.
    ///
    /// Devices whose time has not come are ``Funnel/deferred``.
    public var remaining: Int
    /// When it goes on, while all that is left of it waits for its time.
    public var nextAt: Timestamp?
    /// What became of it so far.
    public var funnel: Funnel
    /// Whether it is over and a rule kept back everybody whom it matched, or it matched nobody.
    public var reachedNobody: Bool

    /// Makes an Occurrence that has not begun.
    ///
    /// - Parameters:
    ///   - at: The time on the wall at which it is planned.
    ///   - group: Which of the groups it is, from 1.
    ///   - plannedAt: When it is due.
    ///   - state: Where it stands.
    public init(at: WallTime?, group: Int? = nil, plannedAt: Timestamp, state: State = .planned) {
        self.at = at
        self.group = group
        self.plannedAt = plannedAt
        self.state = state
        remaining = 0
        funnel = Funnel()
        reachedNobody = false
    }
}
