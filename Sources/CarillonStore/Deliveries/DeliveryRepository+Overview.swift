package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel

extension DeliveryRepository {
    package func overview(
        at now: Timestamp,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> DispatchOverview {
        try await database.read { connection throws(StoreError) in
            DispatchOverview(
                dueCampaigns: try connection.dueCampaigns(at: now),
                nextWake: try connection.nextWake(after: now),
                chunks: try connection.openChunks(),
                waves: try connection.wakingWaves(at: now, after: occurrence ?? OccurrenceID(rawValue: -1))
            )
        }
    }
}

extension SQLConnection {
    fileprivate func dueCampaigns(at now: Timestamp) throws(StoreError) -> [CampaignID] {
        try all(
            """
            SELECT id FROM campaigns WHERE next_at <= $1 AND state IN ('scheduled', 'sending')
            ORDER BY next_at LIMIT 100
            """,
            now
        ) { CampaignID(rawValue: $0.int64(0)) }
    }

    fileprivate func nextWake(after now: Timestamp) throws(StoreError) -> Timestamp? {
        let campaign = try first(
            """
            SELECT next_at FROM campaigns WHERE next_at > $1 AND state IN ('scheduled', 'sending')
            ORDER BY next_at LIMIT 1
            """,
            now
        ) { Timestamp(rawValue: $0.int64(0)) }
        let wave = try first(
            "SELECT wake_at FROM waves WHERE wake_at > $1 ORDER BY wake_at LIMIT 1",
            now
        ) { Timestamp(rawValue: $0.int64(0)) }
        return [campaign, wave].compactMap(\.self).min()
    }

    /// Chunks are few: those of a dispatcher's hands, and those it left when it died.
    fileprivate func openChunks() throws(StoreError) -> [OpenChunk] {
        try all(
            """
            SELECT k.app_id, k.occurrence_id, k.chunk, k.campaign_id, k.wave, k.after_time, k.after_device,
                k.through_time, k.through_device, k.fence, s.beat, s.owner, o.state
            FROM chunks k JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            LEFT JOIN dispatcher_sessions s ON s.owner = k.owner
            WHERE o.state IN ('sending', 'cancelling') LIMIT 1000
            """
        ) { row in
            OpenChunk(
                lease: Lease(
                    chunk: ChunkKey(
                        app: AppID(rawValue: row.int64(0)),
                        occurrence: OccurrenceID(rawValue: row.int64(1)),
                        number: row.int64(2)
                    ),
                    campaign: CampaignID(rawValue: row.int64(3)),
                    range: ChunkRange(row, from: 4),
                    fence: row.int64(9)
                ),
                beat: row.optionalInt64(10) ?? 0,
                holder: row.optionalInt64(11).map(DispatcherSession.init(rawValue:)),
                isCancelling: row.string(12) == Campaign.State.cancelling.rawValue
            )
        }
    }

    fileprivate func wakingWaves(
        at now: Timestamp,
        after occurrence: OccurrenceID
    ) throws(StoreError) -> [OpenWave] {
        try all(
            """
            SELECT w.app_id, w.campaign_id, w.occurrence_id, w.wave, w.due_at, w.cursor, o.last_device, w.is_read,
                o.state, w.retry_at, CASE WHEN w.wave > 1 AND EXISTS (
                    SELECT 1 FROM chunks k WHERE k.app_id = w.app_id AND k.occurrence_id = w.occurrence_id
                        AND k.wave <> w.wave) THEN NULL ELSE w.read_at END
            FROM waves w
            JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id
            WHERE w.wake_at <= $1 AND o.state IN ('sending', 'cancelling')
            ORDER BY CASE WHEN w.occurrence_id > $2 THEN 0 ELSE 1 END, w.occurrence_id LIMIT 20
            """,
            now,
            occurrence
        ) { row in
            OpenWave(
                app: AppID(rawValue: row.int64(0)),
                campaign: CampaignID(rawValue: row.int64(1)),
                occurrence: OccurrenceID(rawValue: row.int64(2)),
                wave: row.int64(3),
                dueAt: Timestamp(rawValue: row.int64(4)),
                cursor: DeviceNumber(rawValue: row.int64(5)),
                lastDevice: DeviceNumber(rawValue: row.int64(6)),
                isRead: row.bool(7),
                isCancelling: row.string(8) == Campaign.State.cancelling.rawValue,
                nextRetry: row.optionalInt64(9).map(Timestamp.init(rawValue:)),
                readAt: row.optionalInt64(10).map(Timestamp.init(rawValue:))
            )
        }
    }
}

extension ChunkRange {
    /// Reads `wave` and the four columns of the range.
    init(_ row: any SQLStatement, from column: Int) {
        let after = DeviceNumber(rawValue: row.int64(column + 2))
        let through = DeviceNumber(rawValue: row.int64(column + 4))
        if let wave = row.optionalInt64(column) {
            self = .devices(wave: wave, after: after, through: through)
        } else {
            self = .retries(
                after: RetryPosition(dueAt: Timestamp(rawValue: row.int64(column + 1)), device: after),
                through: RetryPosition(dueAt: Timestamp(rawValue: row.int64(column + 3)), device: through)
            )
        }
    }
}
