import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Work that has been due for long; each kind is found by the index by which dispatchers find it.
extension ExaminationQueries {
    func overdueCampaigns(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try standingWork(
            .campaign,
            """
            SELECT app_id, id, next_at FROM campaigns
            WHERE next_at < $1 AND state IN ('scheduled', 'sending') ORDER BY next_at LIMIT $2
            """,
            before: past
        )
    }

    /// Of Occurrences that go on; a Wave is not due before its Occurrence has begun.
    func overdueWaves(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try standingWork(
            .wave,
            """
            SELECT w.app_id, w.campaign_id, CASE WHEN (w.wake_at > o.started_at) THEN w.wake_at ELSE o.started_at END
            FROM waves w JOIN occurrences o ON o.app_id = w.app_id AND o.id = w.occurrence_id
            WHERE w.wake_at < $1 AND o.started_at < $1 AND o.state IN ('sending', 'cancelling')
            ORDER BY w.wake_at LIMIT $2
            """,
            before: past
        )
    }

    /// Of Occurrences that go on; a Chunk is not due before its Occurrence has begun.
    func freeChunks(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try standingWork(
            .freeChunk,
            """
            SELECT k.app_id, k.campaign_id, CASE WHEN (k.free_at > o.started_at) THEN k.free_at ELSE o.started_at END
            FROM chunks k JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            WHERE k.owner IS NULL AND k.free_at < $1 AND o.started_at < $1 AND o.state IN ('sending', 'cancelling')
            ORDER BY k.free_at LIMIT $2
            """,
            before: past
        )
    }

    func abandonedChunks(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try standingWork(
            .heldChunk,
            """
            SELECT k.app_id, k.campaign_id, s.seen_at FROM chunks k
            JOIN occurrences o ON o.app_id = k.app_id AND o.id = k.occurrence_id
            LEFT JOIN dispatcher_sessions s ON s.owner = k.owner
            WHERE k.owner IS NOT NULL AND (s.seen_at IS NULL OR s.seen_at < $1) AND o.started_at < $1
                AND o.state IN ('sending', 'cancelling')
            ORDER BY k.app_id, k.occurrence_id, k.chunk LIMIT $2
            """,
            before: past
        )
    }

    func waitingOutcomes(before past: Timestamp) throws -> [ServerExamination.StandingWork] {
        try connection.all(
            "SELECT campaign_id, since FROM dispatcher_waits WHERE since < $1 ORDER BY since LIMIT $2",
            past,
            ServerExamination.limit,
            as: (CampaignID, Timestamp).self
        ).map { ServerExamination.StandingWork(kind: .outcomes, app: nil, campaign: $0, since: $1) }
    }

    /// Work that a statement gives as App, Campaign and since when, for a time and a limit.
    private func standingWork(
        _ kind: ServerExamination.StandingWork.Kind,
        _ sql: SQL,
        before past: Timestamp
    ) throws -> [ServerExamination.StandingWork] {
        try connection.all(sql, past, ServerExamination.limit, as: (AppID, CampaignID, Timestamp?).self)
            .map { ServerExamination.StandingWork(kind: kind, app: $0, campaign: $1, since: $2) }
    }
}
