package import CarillonModel
package import CarillonOperatorModel

/// What is dropped by its age.
package enum RetentionSubject: String, Hashable, Sendable, CaseIterable {
    case deliveries, events, inboxRows, inboxBroadcasts, deviceReads, userReads
    case minutes, halfHours, campaignMinutes
    case webhookMessages, webhookOutbox
    /// Test sends and transactional Campaigns that are over, with all that belongs to them.
    case campaigns
    /// Messages of Users to Users, with all that belongs to them.
    case userMessages
    /// Lists of Users and Devices of Campaigns that are over; the Campaigns stay.
    case lists
    /// Which numbers a User's deleted Devices had, once nothing is left under them.
    case deletedDevices

    /// What some stores keep in partitions of a week each.
    package static let partitioned: [RetentionSubject] = [.deliveries, .events]
}

/// A place in the order of a table's keys, where a step ended.
package struct RetentionCursor: Hashable, Sendable {
    package var number: Int64
    package var text: String
    package var occurrence: Int64
    /// What tells rows of one Occurrence and number apart.
    package var part: Int64

    package init(number: Int64, text: String, occurrence: Int64, part: Int64 = -1) {
        self.number = number
        self.text = text
        self.occurrence = occurrence
        self.part = part
    }

    package static let start = RetentionCursor(number: -1, text: "", occurrence: -1)
}

/// How long partitions are worth waiting for.
package enum PartitionPatience: Hashable, Sendable {
    /// At a start: two seconds, and nothing that looks through a large default partition.
    case brief
    /// In a round: half a minute a step, and looking through the default partition beside everybody else.
    case thorough
}

/// What came of making partitions ahead.
package struct PartitionReport: Hashable, Sendable {
    /// How many were made.
    package var made = 0
    /// The weeks that have none, as `deliveries_w2913`: their rows go to the default partition.
    package var missing: [String] = []

    package init() {}
}

/// What came of dropping the partitions of a table.
package struct DroppedPartitions: Hashable, Sendable {
    /// How many were dropped.
    package var dropped = 0
    /// How many were left because other transactions use the table; a later round drops them.
    package var pending = 0
    /// How many have rows of an Occurrence that is not over; only the rows of the others go from them.
    package var held = 0

    package init() {}
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
    /// A step costs the same wherever it begins: it starts at the cursor and never walks over what others dropped.
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

    /// Up to when rows are dropped one by one that no App keeps any longer than a time: what lies in the partition of that
    /// time goes with it.
    ///
    /// - Returns: The begin of that partition; the time itself where that week has none; `nil` where tables have no
    ///   partitions at all.
    func partitionBoundary(
        of subject: RetentionSubject,
        before time: Timestamp
    ) async throws(StoreError) -> Timestamp?

    /// Makes the partitions of the weeks from one time through another that are missing; elsewhere it does nothing.
    ///
    /// It never waits in front of other transactions: where they are in the way it tries again until its patience is
    /// over, and then reports the week as missing.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - newest: Through when.
    ///   - patience: How it waits, and what it may do.
    /// - Returns: What was made, and what is missing.
    /// - Throws: ``StoreError``.
    func makePartitions(
        from now: Timestamp,
        through newest: Timestamp,
        _ patience: PartitionPatience
    ) async throws(StoreError) -> PartitionReport

    /// Drops the partitions of a table that end before a time; elsewhere it does nothing.
    ///
    /// - Parameters:
    ///   - subject: One of ``RetentionSubject/partitioned``.
    ///   - oldest: Rows of this time and later stay.
    /// - Returns: What was dropped, and what was left.
    /// - Throws: ``StoreError``.
    func dropPartitions(
        of subject: RetentionSubject,
        before oldest: Timestamp
    ) async throws(StoreError) -> DroppedPartitions

    /// Drops the earliest entries of the audit log, but never the last one, whose hash the next one needs, and writes
    /// into the log that it did.
    ///
    /// - Parameters:
    ///   - time: The first time that stays.
    ///   - now: The time of the entry that tells of it.
    ///   - limit: How many at most.
    /// - Returns: How many were dropped.
    /// - Throws: ``StoreError``.
    func dropAuditEntries(before time: Timestamp, at now: Timestamp, limit: Int) async throws(StoreError) -> Int

    /// Drops the earliest idempotency keys; requests bring that about too, but only while there are some.
    ///
    /// - Parameters:
    ///   - time: The first time that stays.
    ///   - limit: How many at most.
    /// - Returns: Whether there may be more.
    /// - Throws: ``StoreError``.
    func dropIdempotencyKeys(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool
}
