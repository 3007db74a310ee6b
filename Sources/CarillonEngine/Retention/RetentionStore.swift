package import CarillonModel
package import CarillonOperatorModel

/// What is dropped by its age.
package enum RetentionSubject: Hashable, Sendable, CaseIterable {
    case deliveries, events, inboxRows, inboxBroadcasts, deviceReads, userReads
    case minutes, halfHours, campaignMinutes
    case webhookMessages, webhookOutbox
}

/// A place in the order of a table's keys, where a step ended.
package struct RetentionCursor: Hashable, Sendable {
    package var number: Int64
    package var text: String
    package var occurrence: Int64

    package init(number: Int64, text: String, occurrence: Int64) {
        self.number = number
        self.text = text
        self.occurrence = occurrence
    }

    package static let start = RetentionCursor(number: -1, text: "", occurrence: -1)
}

/// Drops rows by their age, in steps that are short.
package protocol RetentionStore: Sendable {
    /// An App's days; the standard when nobody set them. `nil` when there is no such App.
    func days(of app: AppID) async throws(StoreError) -> RetentionDays?

    /// Sets an App's days.
    ///
    /// - Returns: False when there is no such App.
    func setDays(_ days: RetentionDays, of app: AppID) async throws(StoreError) -> Bool

    /// Takes or renews a claim that one node has at a time.
    ///
    /// - Parameters:
    ///   - name: Of what.
    ///   - owner: A number of the node's own.
    ///   - now: The wall clock.
    ///   - end: When it ends unless it is renewed.
    /// - Returns: False when another node has it.
    /// - Throws: ``StoreError``.
    func claim(_ name: String, owner: Int64, at now: Timestamp, until end: Timestamp) async throws(StoreError) -> Bool

    /// Drops some rows of an App that are older than a time.
    ///
    /// - Parameters:
    ///   - subject: What.
    ///   - app: Whose.
    ///   - time: Rows of this time and later stay; so do those of Occurrences that are not over.
    ///   - cursor: Where the last step ended.
    ///   - limit: How many rows it looks at, at most.
    /// - Returns: Where it ended; `nil` when nothing is left to drop.
    /// - Throws: ``StoreError``.
    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) async throws(StoreError) -> RetentionCursor?

    /// Where tables are partitioned, makes partitions for the weeks through a time, and drops those that end before
    /// another; elsewhere it does nothing.
    ///
    /// - Returns: How many were dropped.
    func keepPartitions(from oldest: Timestamp, through newest: Timestamp) async throws(StoreError) -> Int
}
