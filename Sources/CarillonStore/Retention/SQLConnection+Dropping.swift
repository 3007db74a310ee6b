import CarillonEngine
import CarillonModel

/// One step of dropping old rows of an App. Where rows lie in the order of time, a step ends after so many; where they lie
/// in the order of Devices or Users, it looks at so many and drops the old ones among them.
extension SQLConnection {
    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) throws(StoreError) -> RetentionCursor? {
        let occurrence = try oldestKept(app, time)
        switch subject {
        case .deliveries: return try dropDeliveries(app, occurrence, limit)
        case .events: return try dropEvents(app, occurrence, limit)
        case .campaignMinutes: return try dropCampaignMinutes(app, occurrence, limit)
        case .minutes: return try dropFigures(app, unit: 1, before: time, limit)
        case .halfHours: return try dropFigures(app, unit: StatisticsBook.longSpan, before: time, limit)
        case .inboxBroadcasts:
            try run("DELETE FROM inbox_broadcasts WHERE app_id = $1 AND occurrence_id < $2", app, occurrence)
            return nil
        case .inboxRows: return try dropInboxRows(app, occurrence, cursor, limit)
        case .deviceReads: return try dropDeviceReads(app, occurrence, cursor, limit)
        case .userReads: return try dropUserReads(app, occurrence, cursor, limit)
        case .webhookMessages: return try dropWebhookMessages(app, time, limit)
        case .webhookOutbox: return try dropWebhookOutbox(app, time, limit)
        }
    }

    // MARK: - Private

    /// The first Occurrence of which something stays: the rows of one that is not over keep it from being sent again.
    private func oldestKept(_ app: AppID, _ time: Timestamp) throws(StoreError) -> Int64 {
        let open = try first("SELECT MIN(occurrence_id) FROM waves WHERE app_id = $1", app) { $0.optionalInt64(0) }
        return min(time.firstOccurrence, open.flatMap { $0 } ?? .max)
    }

    private func dropDeliveries(_ app: AppID, _ end: Int64, _ limit: Int) throws(StoreError) -> RetentionCursor? {
        let last = try first(
            """
            SELECT occurrence_id, device_number, push_type FROM deliveries
            WHERE app_id = $1 AND occurrence_id < $2
            ORDER BY occurrence_id, device_number, push_type LIMIT 1 OFFSET $3
            """,
            app,
            end,
            limit
        ) { ($0.int64(0), $0.int64(1), $0.int64(2)) }
        guard let last else {
            try run("DELETE FROM deliveries WHERE app_id = $1 AND occurrence_id < $2", app, end)
            return nil
        }
        try run(
            """
            DELETE FROM deliveries
            WHERE app_id = $1 AND occurrence_id <= $2 AND (occurrence_id, device_number, push_type) < ($2, $3, $4)
            """,
            app,
            last.0,
            last.1,
            last.2
        )
        return .start
    }

    private func dropEvents(_ app: AppID, _ end: Int64, _ limit: Int) throws(StoreError) -> RetentionCursor? {
        let last = try first(
            """
            SELECT occurrence_id, device_number FROM events
            WHERE app_id = $1 AND occurrence_id < $2 ORDER BY occurrence_id, device_number LIMIT 1 OFFSET $3
            """,
            app,
            end,
            limit
        ) { ($0.int64(0), $0.int64(1)) }
        guard let last else {
            try run("DELETE FROM events WHERE app_id = $1 AND occurrence_id < $2", app, end)
            return nil
        }
        try run(
            """
            DELETE FROM events
            WHERE app_id = $1 AND occurrence_id <= $2 AND (occurrence_id, device_number) <= ($2, $3)
            """,
            app,
            last.0,
            last.1
        )
        return .start
    }

    private func dropCampaignMinutes(_ app: AppID, _ end: Int64, _ limit: Int) throws(StoreError) -> RetentionCursor? {
        let last = try first(
            """
            SELECT occurrence_id, bucket FROM statistics_by_occurrence
            WHERE app_id = $1 AND occurrence_id < $2 ORDER BY occurrence_id, bucket LIMIT 1 OFFSET $3
            """,
            app,
            end,
            limit
        ) { ($0.int64(0), $0.int64(1)) }
        guard let last else {
            try run("DELETE FROM statistics_by_occurrence WHERE app_id = $1 AND occurrence_id < $2", app, end)
            return nil
        }
        try run(
            """
            DELETE FROM statistics_by_occurrence
            WHERE app_id = $1 AND occurrence_id <= $2 AND (occurrence_id, bucket) <= ($2, $3)
            """,
            app,
            last.0,
            last.1
        )
        return .start
    }

    private func dropFigures(
        _ app: AppID,
        unit: Int64,
        before time: Timestamp,
        _ limit: Int
    ) throws(StoreError) -> RetentionCursor? {
        let end = time.rawValue / 60_000
        let last = try first(
            """
            SELECT bucket FROM statistics_by_time
            WHERE app_id = $1 AND unit = $2 AND bucket < $3 ORDER BY bucket LIMIT 1 OFFSET $4
            """,
            app,
            unit,
            end,
            limit
        ) { $0.int64(0) }
        try run(
            "DELETE FROM statistics_by_time WHERE app_id = $1 AND unit = $2 AND bucket < $3 AND bucket <= $4",
            app,
            unit,
            end,
            last ?? end
        )
        return last.map { _ in .start }
    }
}
