import CarillonModel
import CarillonOperatorModel

/// The latest reading of each Campaign that is followed: however many follow one, the store is read as if one did.
actor ProgressReads {
    /// A reading, which may still be under way.
    struct Reading: Sendable {
        let at: ContinuousClock.Instant
        /// Held, so that changes are counted on while a reading may be shared.
        let changes: AsyncSignal
        /// The count of changes before it began.
        let changeCount: UInt64
        /// Ends with `nil` when the store could not be read.
        let progress: Task<CampaignProgress?, Never>
    }

    /// Who asks, and what they have seen.
    struct Wish: Sendable {
        var now: ContinuousClock.Instant
        var changes: AsyncSignal
        /// When what they saw last was read; `nil` for who begins.
        var seen: ContinuousClock.Instant?
        /// How old the reading of another one may be.
        var age: Duration
    }

    private static let longestAge = Duration.seconds(2)

    private var readings: [CampaignID: Reading] = [:]

    /// Returns the reading of another follower that is new enough, or begins one.
    ///
    /// Who begins gets nothing from before a change that is known here: the page that the numbers belong to may have
    /// been read after it.
    func reading(
        of id: CampaignID,
        for wish: Wish,
        _ read: @escaping @Sendable () async -> CampaignProgress?
    ) -> Reading {
        let count = wish.changes.count
        if let last = readings[id], wish.now - last.at < wish.age,
            wish.seen.map({ $0 < last.at }) ?? (last.changeCount == count)
        {
            return last
        }
        readings = readings.filter { wish.now - $0.value.at < Self.longestAge }
        let reading = Reading(
            at: wish.now,
            changes: wish.changes,
            changeCount: count,
            progress: Task { await read() }
        )
        readings[id] = reading
        return reading
    }
}
