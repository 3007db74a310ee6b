import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Work that has been due for long; each kind is found by the index by which dispatchers find it.
extension SQLConnection {
    func overdueCampaigns(before past: Timestamp) throws(StoreError) -> [ServerExamination.StandingWork] {
        try all(
            """
            SELECT app_id, id, next_at FROM campaigns
            WHERE next_at < $1 AND state IN ('scheduled', 'sending') ORDER BY next_at LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.campaign, $0) }
    }

    func overdueWaves(before past: Timestamp) throws(StoreError) -> [ServerExamination.StandingWork] {
        try all(
            """
            SELECT w.app_id, w.campaign_id,
                CASE WHEN w.wake_at > o.started_at THEN w.wake_at ELSE o.started_at END
            FROM waves w
            JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id
            WHERE w.wake_at < $1 AND o.started_at < $1 AND o.state IN ('sending', 'cancelling') ORDER BY w.wake_at LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.wave, $0) }
    }

    func freeChunks(before past: Timestamp) throws(StoreError) -> [ServerExamination.StandingWork] {
        try all(
            """
            SELECT k.app_id, k.campaign_id,
                CASE WHEN k.free_at > o.started_at THEN k.free_at ELSE o.started_at END
            FROM chunks k
            JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            WHERE k.owner IS NULL AND k.free_at < $1 AND o.started_at < $1 AND o.state IN ('sending', 'cancelling')
            ORDER BY k.free_at LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.freeChunk, $0) }
    }

    func abandonedChunks(before past: Timestamp) throws(StoreError) -> [ServerExamination.StandingWork] {
        try all(
            """
            SELECT k.app_id, k.campaign_id, s.seen_at FROM chunks k
            JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            LEFT JOIN dispatcher_sessions s ON s.owner = k.owner
            WHERE k.owner IS NOT NULL AND (s.seen_at IS NULL OR s.seen_at < $1) AND o.started_at < $1
                AND o.state IN ('sending', 'cancelling')
            ORDER BY k.app_id, k.occurrence_id, k.chunk LIMIT $2
            """,
            past,
            ServerExamination.limit
        ) { ServerExamination.StandingWork(.heldChunk, $0) }
    }

    func waitingOutcomes(before past: Timestamp) throws(StoreError) -> [ServerExamination.StandingWork] {
        try all(
            "SELECT campaign_id, since FROM dispatcher_waits WHERE since < $1 ORDER BY since LIMIT $2",
            past,
            ServerExamination.limit
        ) {
            ServerExamination.StandingWork(
                kind: .outcomes,
                app: nil,
                campaign: CampaignID(rawValue: $0.int64(0)),
                since: Timestamp(rawValue: $0.int64(1))
            )
        }
    }
}

extension ServerExamination.StandingWork {
    fileprivate init(_ kind: Kind, _ row: any SQLStatement) {
        self.init(
            kind: kind,
            app: AppID(rawValue: row.int64(0)),
            campaign: CampaignID(rawValue: row.int64(1)),
            since: row.optionalInt64(2).map(Timestamp.init(rawValue:))
        )
    }
}
