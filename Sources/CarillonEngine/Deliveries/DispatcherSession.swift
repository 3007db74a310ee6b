package import CarillonModel
package import CarillonOperatorModel

/// Names a dispatcher for as long as it shows heartbeats; its leases last as long.
///
/// Whoever finds a session without a heartbeat for the time of a lease, by its own monotonic clock, ends it and takes
/// its Chunks. A dispatcher whose session was ended begins another one.
package struct DispatcherSession: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// A session that nobody else has.
    package static func random() -> DispatcherSession { DispatcherSession(rawValue: .random(in: 1 ... .max)) }
}

/// What a dispatcher has sent of an Occurrence and cannot commit.
package struct CommitWait: Hashable, Sendable {
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// Since when, by the dispatcher's wall clock; only shown.
    package var since: Timestamp
    package var chunks: Int
    package var notifications: Int

    package init(
        campaign: CampaignID,
        occurrence: OccurrenceID,
        since: Timestamp,
        chunks: Int,
        notifications: Int
    ) {
        self.campaign = campaign
        self.occurrence = occurrence
        self.since = since
        self.chunks = chunks
        self.notifications = notifications
    }
}

/// Where a dispatcher shows that it lives.
///
/// These calls touch no table that commits write, and wait for none of them.
package protocol SessionStore: Sendable {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - session: A new name; to begin it twice does no harm.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``.
    func begin(_ session: DispatcherSession, at now: Timestamp) async throws(StoreError)

    /// Shows a heartbeat: all leases of the session last for their full time again.
    ///
    /// - Parameters:
    ///   - session: Whose.
    ///   - waits: What the session cannot commit, in place of what was said before; `nil` when nothing has changed.
    ///   - now: The wall clock.
    /// - Returns: False when the session was ended, and its Chunks are others'.
    /// - Throws: ``StoreError``.
    func beat(
        _ session: DispatcherSession,
        waits: [CommitWait]?,
        at now: Timestamp
    ) async throws(StoreError) -> Bool

    /// Ends a session of one's own: what it still holds is free at once.
    func end(_ session: DispatcherSession) async throws(StoreError)
}
