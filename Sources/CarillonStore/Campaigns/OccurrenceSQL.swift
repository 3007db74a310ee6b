import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// How an Occurrence begins, what it waits for, and how it ends. Each of these is part of a caller's transaction.
extension SQLConnection {
    /// Begins a Campaign's Occurrence: the highest Device's number is frozen, later Devices are not in it.
    func begin(
        _ campaign: CampaignID,
        app: AppID,
        as occurrence: OccurrenceID,
        at now: Timestamp
    ) throws(StoreError) {
        try run(
            """
            UPDATE campaigns SET state = 'sending', occurrence_id = $1, started_at = $2 WHERE app_id = $3 AND id = $4
            """,
            occurrence,
            now,
            app,
            campaign
        )
        try run(
            """
            INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
            SELECT c.app_id, $1, c.id, COALESCE((SELECT MAX(d.number) FROM devices d WHERE d.app_id = c.app_id), 0),
                $2, $2 + c.retry_for, 1
            FROM campaigns c WHERE c.app_id = $3 AND c.id = $4
            """,
            occurrence,
            now,
            app,
            campaign
        )
        try openInbox(of: occurrence, app: app)
        try run(
            """
            INSERT INTO waves (app_id, occurrence_id, wave, campaign_id, due_at, cursor, is_read, wake_at)
            VALUES ($1, $2, 1, $3, 0, 0, 0, 0)
            """,
            app,
            occurrence,
            campaign
        )
    }

    /// Makes a broadcast known to inboxes, if that is how its Campaign is looked up.
    private func openInbox(of occurrence: OccurrenceID, app: AppID) throws(StoreError) {
        try run(
            """
            INSERT INTO inbox_broadcasts (app_id, occurrence_id, last_device)
            SELECT o.app_id, o.id, o.last_device FROM occurrences o
            JOIN campaigns c ON c.app_id = o.app_id AND c.id = o.campaign_id
            WHERE o.app_id = $1 AND o.id = $2 AND c.inbox = $3
            """,
            app,
            occurrence,
            InboxPlacement.lookUp.rawValue
        )
    }

    /// Works out what an Occurrence waits for, after something of it changed; ends its Campaign when that is nothing.
    ///
    /// - Returns: Where the Campaign stands; `nil` when there is no such Occurrence.
    func refreshWork(of occurrence: OccurrenceID, app: AppID, at now: Timestamp) throws(StoreError) -> Campaign.State? {
        let found = try first(
            """
            SELECT c.id, c.state FROM occurrences o JOIN campaigns c ON c.app_id = o.app_id AND c.id = o.campaign_id
            WHERE o.app_id = $1 AND o.id = $2
            """,
            app,
            occurrence
        ) { row in (CampaignID(rawValue: row.int64(0)), Campaign.State(rawValue: row.string(1))) }
        guard let (campaign, found) = found, let state = found else { return nil }
        let end: Campaign.State
        switch state {
        case .sending: end = .sent
        case .cancelling: end = .cancelled
        case .draft, .scheduled, .paused, .cancelled, .sent:
            try run(
                "UPDATE waves SET wake_at = NULL WHERE app_id = $1 AND occurrence_id = $2",
                app,
                occurrence
            )
            return state
        }
        let retry = try nextRetry(of: occurrence, app: app)
        let isCancelling = state == .cancelling
        guard try isOver(occurrence, app: app, retry: retry, isCancelling: isCancelling) else {
            try setWake(of: occurrence, app: app, retry: retry, isCancelling: isCancelling)
            return state
        }
        try run("DELETE FROM waves WHERE app_id = $1 AND occurrence_id = $2", app, occurrence)
        try finish(app, campaign, as: end, at: now)
        try noteEnd(of: occurrence, app: app, at: now)
        return end
    }

    func finish(
        _ app: AppID,
        _ campaign: CampaignID,
        as state: Campaign.State,
        at now: Timestamp
    ) throws(StoreError) {
        try run(
            "UPDATE campaigns SET state = $1, finished_at = $2 WHERE app_id = $3 AND id = $4",
            state.rawValue,
            now,
            app,
            campaign
        )
    }

    /// The end of the last Chunk of retries that is not over; retries up to there are somebody's.
    func retriesTaken(of occurrence: OccurrenceID, app: AppID) throws(StoreError) -> RetryPosition {
        try first(
            """
            SELECT through_time, through_device FROM chunks
            WHERE app_id = $1 AND occurrence_id = $2 AND wave IS NULL
            ORDER BY through_time DESC, through_device DESC LIMIT 1
            """,
            app,
            occurrence
        ) { RetryPosition(dueAt: Timestamp(rawValue: $0.int64(0)), device: DeviceNumber(rawValue: $0.int64(1))) }
            ?? .start
    }

    // MARK: - Private

    private func nextRetry(of occurrence: OccurrenceID, app: AppID) throws(StoreError) -> Timestamp? {
        let taken = try retriesTaken(of: occurrence, app: app)
        return try first(
            """
            SELECT due_at FROM retries
            WHERE app_id = $1 AND occurrence_id = $2 AND (due_at, device_number) > ($3, $4)
            ORDER BY due_at, device_number LIMIT 1
            """,
            app,
            occurrence,
            taken.dueAt,
            taken.device
        ) { Timestamp(rawValue: $0.int64(0)) }
    }

    private func isOver(
        _ occurrence: OccurrenceID,
        app: AppID,
        retry: Timestamp?,
        isCancelling: Bool
    ) throws(StoreError) -> Bool {
        guard retry == nil else { return false }
        return try first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM chunks WHERE app_id = $1 AND occurrence_id = $2)
                OR EXISTS (SELECT 1 FROM waves WHERE app_id = $1 AND occurrence_id = $2 AND is_read = 0 AND $3 = 0)
            """,
            app,
            occurrence,
            isCancelling
        ) { _ in true } == nil
    }

    private func setWake(
        of occurrence: OccurrenceID,
        app: AppID,
        retry: Timestamp?,
        isCancelling: Bool
    ) throws(StoreError) {
        // What waits to be tried again is closed at once when the Campaign is being cancelled. A Wave that has begun
        // goes on whatever becomes of the wall clock.
        let wake = isCancelling ? retry.map { _ in Timestamp(rawValue: 0) } : retry
        try run(
            """
            UPDATE waves SET retry_at = $1, wake_at = CASE
                WHEN is_read = 1 OR $2 = 1 THEN $3
                WHEN cursor > 0 THEN 0
                WHEN due_at < COALESCE($3, due_at) THEN due_at
                ELSE COALESCE($3, due_at) END
            WHERE app_id = $4 AND occurrence_id = $5
            """,
            retry,
            isCancelling,
            wake,
            app,
            occurrence
        )
    }
}
