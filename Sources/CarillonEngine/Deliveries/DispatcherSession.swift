package import CarillonModel
package import CarillonOperatorModel

/// Identifies a dispatcher while it sends heartbeats; its leases last as long.
///
/// A dispatcher that sees no heartbeat of a session for the time of a lease, by its own monotonic clock, ends the
/// session and takes its Chunks. A dispatcher whose session was ended begins another one.
package struct DispatcherSession: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates a session with a random number.
    package static func random() -> DispatcherSession { DispatcherSession(rawValue: .random(in: 1 ... .max)) }
}

/// Sent notifications of an Occurrence that a dispatcher cannot commit.
package struct CommitWait: Hashable, Sendable {
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// Since when, by the dispatcher's wall clock; for display only.
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

/// Where a dispatcher stores its heartbeats.
///
/// These calls use no table that commits write, so they never wait for a commit.
package protocol SessionStore: Sendable {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - session: A new id; beginning it twice changes nothing.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``.
    func begin(_ session: DispatcherSession, at now: Timestamp) async throws(StoreError)

    /// Stores a heartbeat: all leases of the session last for their full time again.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - waits: What the session cannot commit, replacing the former value; `nil` when nothing has changed.
    ///   - now: The wall clock.
    /// - Returns: False when the session was ended, and its Chunks belong to others.
    /// - Throws: ``StoreError``.
    func beat(
        _ session: DispatcherSession,
        waits: [CommitWait]?,
        at now: Timestamp
    ) async throws(StoreError) -> Bool

    /// Ends the caller's session: its leases are free at once.
    func end(_ session: DispatcherSession) async throws(StoreError)
}
