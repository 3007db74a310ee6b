import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Dropping by age, in SQL.
struct RetentionRepository: RetentionStore {
    let database: any Database

    func days(of app: AppID) async throws(StoreError) -> RetentionDays? {
        try await database.read { connection in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app, as: AppID.self)
            guard isKnown != nil else { return nil }
            return try connection.first(
                "SELECT \(RetentionColumn.list) FROM app_retention WHERE app_id = $1",
                app,
                read: RetentionDays.init(row:)
            ) ?? RetentionDays()
        }
    }

    func setDays(_ days: RetentionDays, of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            let isKnown = try connection.first("SELECT id FROM apps WHERE id = $1", app, as: AppID.self)
            guard isKnown != nil else { return false }
            try connection.run(
                """
                INSERT INTO app_retention (\(RetentionColumn.list)) VALUES (\(RetentionColumn.parameters))
                ON CONFLICT (app_id) DO UPDATE SET deliveries = excluded.deliveries, events = excluded.events,
                    inbox = excluded.inbox, minutes = excluded.minutes, campaigns = excluded.campaigns,
                    lists = excluded.lists, user_messages = excluded.user_messages
                """
            ) { (row: SQLParameters<RetentionColumn>) in
                row.bind(app, to: .appID)
                row.bind(days.deliveries, to: .deliveries)
                row.bind(days.events, to: .events)
                row.bind(days.inbox, to: .inbox)
                row.bind(days.minutes, to: .minutes)
                row.bind(days.campaigns, to: .campaigns)
                row.bind(days.lists, to: .lists)
                row.bind(days.userMessages, to: .userMessages)
            }
            return true
        }
    }

    func claim(
        _ name: String,
        owner: Int64,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            try connection.run(
                """
                INSERT INTO node_claims (name, owner, ends_at) VALUES ($1, $2, $3)
                ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
                WHERE node_claims.owner = excluded.owner OR node_claims.ends_at <= $4 OR node_claims.ends_at > $5
                """,
                name,
                owner,
                end,
                now,
                // Nobody claims for so long: that node's clock was far ahead.
                end.advanced(by: now.duration(to: end))
            ) > 0
        }
    }

    func dropAuditEntries(before time: Timestamp, at now: Timestamp, limit: Int) async throws(StoreError) -> Int {
        try await database.write(priority: .bulk) { connection in
            try connection.lock(.auditLog)
            // By their own times: an entry of a clock that was ahead for a moment gives all later ids its time.
            let first = try connection.all(AuditSQL.first, limit, as: (AuditEntryID, Timestamp).self)
            guard let (end, _) = first.prefix(while: { $1 < time }).last else { return 0 }
            let count = try connection.run(AuditSQL.drop, end)
            guard count > 0, let hash = try connection.first(AuditSQL.beginning, as: String.self) else { return 0 }
            try connection.auditLog.append([.dropping(through: hash, at: now)])
            return count
        }
    }

    func dropIdempotencyKeys(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            try connection.run(
                """
                DELETE FROM idempotency_keys WHERE (principal, idempotency_key) IN (
                    SELECT principal, idempotency_key FROM idempotency_keys
                    WHERE started_at < $1 ORDER BY started_at LIMIT $2)
                """,
                time,
                limit
            ) == limit
        }
    }

    func dropUnusedRecipients(before time: Timestamp) async throws(StoreError) -> Bool {
        try await RecipientLists(database: database).discardSome(before: time)
    }

    func dropRemovedTokens(before time: Timestamp, limit: Int) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection in
            try connection.run(
                """
                DELETE FROM removed_tokens WHERE removed_at < $1 AND (app_id, token_hash) IN (
                    SELECT app_id, token_hash FROM removed_tokens WHERE removed_at < $1 ORDER BY removed_at LIMIT $2)
                """,
                time,
                limit
            ) == limit
        }
    }

    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) async throws(StoreError) -> RetentionCursor? {
        try await database.write(priority: .bulk) { connection in
            try connection.retention.drop(subject, of: app, before: time, after: cursor, limit: limit)
        }
    }

    func partitionBoundary(
        of subject: RetentionSubject,
        before time: Timestamp
    ) async throws(StoreError) -> Timestamp? {
        guard database.dialect == .postgreSQL, let table = subject.partitionedTable else { return nil }
        let layout = try await database.read { connection in
            try connection.retention.partitionLayout(of: table)
        }
        let partition = WeekPartition(table: table, week: WeekPartition.week(of: time))
        return layout.attached.contains(partition.week) ? partition.begin : time
    }

    func makePartitions(
        from now: Timestamp,
        through newest: Timestamp,
        _ patience: PartitionPatience
    ) async throws(StoreError) -> PartitionReport {
        guard database.dialect == .postgreSQL else { return PartitionReport() }
        let weeks = WeekPartition.week(of: now)...max(WeekPartition.week(of: now), WeekPartition.week(of: newest))
        return try await database.maintenance(patience: patience.lockPatience) { session in
            var report = PartitionReport()
            for table in RetentionSubject.partitioned.compactMap(\.partitionedTable) {
                var partitions = PartitionMaintenance(session: session, table: table)
                partitions.mayValidate = patience == .thorough
                do throws(StoreError) {
                    let made = try await partitions.make(weeks, at: now)
                    report.made += made.made
                    report.missing += made.missing
                } catch {
                    // One table's trouble is not the other's, and a table that somebody has locked may have all its weeks.
                    guard case .unavailable = error else { throw error }
                    let attached = try await session.transaction { connection in
                        try connection.retention.partitionWeeks(of: table).attached
                    }
                    report.missing += weeks.filter { !attached.contains($0) }
                        .map { WeekPartition(table: table, week: $0).name }
                }
            }
            return report
        }
    }

    func dropPartitions(
        of subject: RetentionSubject,
        before oldest: Timestamp
    ) async throws(StoreError) -> DroppedPartitions {
        guard database.dialect == .postgreSQL, let table = subject.partitionedTable else { return DroppedPartitions() }
        let patience = PartitionPatience.thorough.lockPatience
        return try await database.maintenance(patience: patience) { session in
            try await PartitionMaintenance(session: session, table: table).drop(before: oldest)
        }
    }
}

private enum RetentionColumn: Int, SQLColumn {
    case appID, deliveries, events, inbox, minutes, campaigns, lists, userMessages
}

extension RetentionDays {
    fileprivate init(row: SQLRow<RetentionColumn>) throws {
        self.init()
        deliveries = try row[.deliveries]
        events = try row[.events]
        inbox = try row[.inbox]
        minutes = try row[.minutes]
        campaigns = try row[.campaigns]
        lists = try row[.lists]
        userMessages = try row[.userMessages]
    }
}

extension PartitionPatience {
    var lockPatience: LockPatience {
        var patience = LockPatience()
        switch self {
        case .brief:
            patience.limit = .seconds(1)
            patience.longestPause = .milliseconds(200)
        case .thorough:
            patience.limit = .seconds(30)
            patience.longestPause = .seconds(2)
        }
        return patience
    }
}

extension Timestamp {
    /// The first Occurrence that may have been made at this time.
    var firstOccurrence: Int64 { OccurrenceID(milliseconds: rawValue, sequence: 0).rawValue }
}
