package import CarillonModel
package import CarillonOperatorModel

/// A kind of rows that are deleted by age.
package enum RetentionSubject: String, Hashable, Sendable, CaseIterable {
    case deliveries, events, inboxRows, inboxBroadcasts, deviceReads, userReads
    case minutes, halfHours, campaignMinutes
    case webhookMessages, webhookOutbox
    /// Complete test sends and transactional Campaigns, with everything that belongs to them.
    case campaigns
    /// Complete Occurrences of repeating Campaigns that have not ended; their counts stay as a sum.
    case occurrences
    /// Messages of Users to Users, with everything that belongs to them.
    case userMessages
    /// Lists of Users and Devices of complete Campaigns; the Campaigns stay.
    case lists
    /// The numbers of a User's deleted Devices, once no rows use them.
    case deletedDevices

    /// The kinds that some stores have in weekly partitions.
    package static let partitioned: [RetentionSubject] = [.deliveries, .events]
}

/// A position in the order of a table's keys, where a step ended.
package struct RetentionCursor: Hashable, Sendable {
    package var number: Int64
    package var text: String
    package var occurrence: Int64
    /// Distinguishes rows of one Occurrence and number.
    package var part: Int64

    package init(number: Int64, text: String, occurrence: Int64, part: Int64 = -1) {
        self.number = number
        self.text = text
        self.occurrence = occurrence
        self.part = part
    }

    package static let start = RetentionCursor(number: -1, text: "", occurrence: -1)
}

/// How long to wait for partitions.
package enum PartitionPatience: Hashable, Sendable {
    /// At a start: two seconds, without scanning a large default partition.
    case brief
    /// In a round: half a minute per step, including a scan of the default partition that blocks nobody.
    case thorough
}

/// The result of creating partitions ahead.
package struct PartitionReport: Hashable, Sendable {
    /// The number of created partitions.
    package var made = 0
    /// The weeks without a partition, such as `deliveries_w2913`: their rows go to the default partition.
    package var missing: [String] = []

    package init() {}
}

/// The result of dropping the partitions of a table.
package struct DroppedPartitions: Hashable, Sendable {
    /// The number of dropped partitions.
    package var dropped = 0
    /// The number that stays because other transactions use the table; a later round drops them.
    package var pending = 0
    /// The number with rows of an incomplete Occurrence; only the other rows are deleted from them.
    package var held = 0

    package init() {}
}

/// Deletes rows by age, in short steps.
package protocol RetentionStore: Sendable {
    /// Returns an App's retention, by default the standard one; `nil` when there is no such App.
    func days(of app: AppID) async throws(StoreError) -> RetentionDays?

    /// Sets an App's retention.
    ///
    /// - Returns: False when there is no such App.
    func setDays(_ days: RetentionDays, of app: AppID) async throws(StoreError) -> Bool

    /// Acquires or renews a claim that one node has at a time.
    ///
    /// - Parameters:
    ///   - name: The claim.
    ///   - owner: A number that identifies the node.
    ///   - now: The wall clock.
    ///   - end: When it ends unless it is renewed.
    /// - Returns: False when another node has it.
    /// - Throws: ``StoreError``.
    func claim(_ name: String, owner: Int64, at now: Timestamp, until end: Timestamp) async throws(StoreError) -> Bool

    /// Deletes some rows of an App that are older than a time.
    ///
    /// The cost of a step does not depend on where it begins: it starts at the cursor and never scans rows that were
    /// deleted before.
    ///
    /// - Parameters:
    ///   - subject: The kind of rows.
    ///   - app: The App.
    ///   - time: Rows of this time and later stay; so do those of incomplete Occurrences.
    ///   - cursor: Where the last step ended.
    ///   - limit: The maximum number of rows that it reads.
    /// - Returns: Where it ended; `nil` when nothing is left to delete.
    /// - Throws: ``StoreError``.
    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) async throws(StoreError) -> RetentionCursor?

    /// Returns the time up to which rows are deleted one by one; later rows that are older than the longest retention
    /// are dropped with the partition of that time.
    ///
    /// - Returns: The begin of that partition; the time itself where that week has none; `nil` where tables have no
    ///   partitions.
    func partitionBoundary(
        of subject: RetentionSubject,
        before time: Timestamp
    ) async throws(StoreError) -> Timestamp?

    /// Creates the missing partitions of a range of weeks; does nothing where tables have no partitions.
    ///
    /// It never blocks other transactions: where they hold locks it retries until its patience is over, and then
    /// reports the week as missing.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - newest: The last time that needs a partition.
    ///   - patience: How long it waits, and whether it may scan the default partition.
    /// - Returns: What was created, and what is missing.
    /// - Throws: ``StoreError``.
    func makePartitions(
        from now: Timestamp,
        through newest: Timestamp,
        _ patience: PartitionPatience
    ) async throws(StoreError) -> PartitionReport

    /// Drops the partitions of a table that end before a time; does nothing where tables have no partitions.
    ///
    /// - Parameters:
    ///   - subject: One of ``RetentionSubject/partitioned``.
    ///   - oldest: Rows of this time and later stay.
    /// - Returns: The counts.
    /// - Throws: ``StoreError``.
    func dropPartitions(
        of subject: RetentionSubject,
        before oldest: Timestamp
    ) async throws(StoreError) -> DroppedPartitions

    /// Deletes the earliest entries of the audit log, except the last one, whose hash the next one needs, and records
    /// that in the log.
    ///
    /// - Parameters:
    ///   - time: The first time that stays.
    ///   - now: The time of the entry that records it.
    ///   - limit: The maximum number of entries.
    /// - Returns: The number of deleted entries.
    /// - Throws: ``StoreError``.
    func dropAuditEntries(before time: Timestamp, at now: Timestamp, limit: Int) async throws(StoreError) -> Int

    /// Deletes the earliest idempotency keys, which requests also do while there are some.
    ///
    /// - Parameters:
    ///   - time: The first time that stays.
    ///   - limit: The maximum number of keys.
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropIdempotencyKeys(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool

    /// Deletes some rows of lists of recipients that no Campaign has: those that were begun before a time, and those of
    /// Campaigns that were deleted or got others.
    ///
    /// - Parameter time: A list that was begun at this time or later may still become a Campaign's.
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropUnusedRecipients(before time: Timestamp) async throws(StoreError) -> Bool

    /// Deletes the notes of tokens that were removed before a time.
    ///
    /// - Parameters:
    ///   - time: Notes of this time or later stay.
    ///   - limit: The maximum number of notes.
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropRemovedTokens(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool
}
