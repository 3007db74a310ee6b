public import CarillonModel

/// One firing of a Campaign: a row of `GET /v1/campaigns/{campaign}/occurrences`.
public struct Occurrence: Hashable, Sendable, Codable {
    /// The state of an Occurrence.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Its time is in the future.
        case planned
        /// Notifications are being sent or retried.
        case sending
        /// The Campaign is paused.
        case paused
        /// Nothing new is sent; notifications in flight are awaited.
        case cancelling
        /// Cancelled; notifications that were sent are counted.
        case cancelled
        /// Every targeted Device has an outcome.
        case sent
        /// It was not begun in time, and a later one replaces it.
        case missed
    }

    /// Its id, once it has begun or was given up.
    public var id: OccurrenceID?
    /// The planned local time, in the schedule's zone or each Device's own; missing without a schedule.
    public var at: WallTime?
    /// The number of the group, from 1; missing unless the Campaign is sent in groups.
    public var group: Int?
    /// When it is due; with Devices' own time zones, in the first one.
    public var plannedAt: Timestamp
    /// Its state.
    public var state: State
    /// Since when the store does not accept the outcomes of its notifications; missing when none wait.
    public var waitingForStoreSince: Timestamp?
    /// When it began.
    public var startedAt: Timestamp?
    /// When it ended.
    public var finishedAt: Timestamp?
    /// The estimated number of remaining notifications: Devices that match and are not processed, and retries.
    ///
    /// Devices that wait for a time are ``Funnel/deferred``.
    public var remaining: Int
    /// When it continues, while all remaining notifications are deferred.
    public var nextAt: Timestamp?
    /// Its funnel so far.
    public var funnel: Funnel
    /// Whether it ended, and rules skipped all Devices or none matched.
    public var reachedNobody: Bool

    /// Creates an Occurrence that has not begun.
    ///
    /// - Parameters:
    ///   - at: The planned local time.
    ///   - group: The number of the group, from 1.
    ///   - plannedAt: When it is due.
    ///   - state: Its state.
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
