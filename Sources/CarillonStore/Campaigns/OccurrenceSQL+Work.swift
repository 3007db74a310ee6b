import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `waves` of the Wave that has the time, behind them whether Chunks of another one are left.
private enum WaveCarrierColumn: Int, SQLColumn { case wave, isRead, readAt, mustWait }

/// What an Occurrence waits for. Each of these is part of a caller's transaction.
extension OccurrenceTable {
    /// Works out what an Occurrence waits for, after something of it changed; ends it when that is nothing.
    ///
    /// - Returns: Where the Occurrence, or its Campaign when it is over, stands; `nil` when there is no such Occurrence.
    func refreshWork(of occurrence: OccurrenceID, app: AppID, at now: Timestamp) throws -> Campaign.State? {
        let campaign = try connection.first(
            "SELECT campaign_id FROM occurrences WHERE app_id = $1 AND id = $2",
            app,
            occurrence,
            as: CampaignID.self
        )
        guard let campaign else { return nil }
        // Of two that end the last two Chunks, one has to see that the other is gone.
        try connection.lock(.campaign(campaign))
        let found = try connection.first(
            "SELECT state FROM occurrences WHERE app_id = $1 AND id = $2",
            app,
            occurrence,
            as: String.self
        )
        guard let state = found.flatMap(Occurrence.State.init(rawValue:)) else { return nil }
        let end: Occurrence.State
        switch state {
        case .sending: end = .sent
        case .cancelling: end = .cancelled
        case .planned, .paused, .cancelled, .sent, .missed:
            try connection.run(
                "UPDATE waves SET wake_at = NULL WHERE app_id = $1 AND occurrence_id = $2",
                app,
                occurrence
            )
            return state.campaignState
        }
        let retry = try nextRetry(of: occurrence, app: app)
        let isCancelling = state == .cancelling
        guard try isOver(occurrence, app: app, retry: retry, isCancelling: isCancelling) else {
            try setWake(of: occurrence, app: app, retry: retry, isCancelling: isCancelling)
            return state.campaignState
        }
        return try finish(occurrence, of: campaign, app: app, as: end, at: now)
    }

    /// The end of the last Chunk of retries that is not over; retries up to there are somebody's.
    func retriesTaken(of occurrence: OccurrenceID, app: AppID) throws -> RetryPosition {
        try connection.first(
            """
            SELECT through_time, through_device FROM chunks
            WHERE app_id = $1 AND occurrence_id = $2 AND wave IS NULL
            ORDER BY through_time DESC, through_device DESC LIMIT 1
            """,
            app,
            occurrence,
            as: (Timestamp, DeviceNumber).self
        ).map { RetryPosition(dueAt: $0, device: $1) } ?? .start
    }

    // MARK: - Private

    private func nextRetry(of occurrence: OccurrenceID, app: AppID) throws -> Timestamp? {
        let taken = try retriesTaken(of: occurrence, app: app)
        return try connection.first(
            """
            SELECT due_at FROM retries
            WHERE app_id = $1 AND occurrence_id = $2 AND (due_at, device_number) > ($3, $4)
            ORDER BY due_at, device_number LIMIT 1
            """,
            app,
            occurrence,
            taken.dueAt,
            taken.device,
            as: Timestamp.self
        )
    }

    private func isOver(
        _ occurrence: OccurrenceID,
        app: AppID,
        retry: Timestamp?,
        isCancelling: Bool
    ) throws -> Bool {
        guard retry == nil else { return false }
        return try connection.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM chunks WHERE app_id = $1 AND occurrence_id = $2)
                OR EXISTS (SELECT 1 FROM waves WHERE app_id = $1 AND occurrence_id = $2 AND is_read = 0 AND $3 = 0)
            """,
            app,
            occurrence,
            isCancelling
        ) { _ in true } == nil
    }

    /// Says when there is something to do for an Occurrence.
    ///
    /// Waves go one after another, since a Device that changes its zone may match two: one of them, the first that is
    /// not read or, when all are, the last, has the time. What is read is gone.
    private func setWake(
        of occurrence: OccurrenceID,
        app: AppID,
        retry: Timestamp?,
        isCancelling: Bool
    ) throws {
        let carrier = try connection.first(
            """
            SELECT \(WaveCarrierColumn.list(through: .readAt)), CASE WHEN w.wave > 1 AND EXISTS (
                SELECT 1 FROM chunks k WHERE k.app_id = $1 AND k.occurrence_id = $2
                    AND k.wave <> w.wave) THEN 1 ELSE 0 END
            FROM waves w WHERE w.app_id = $1 AND w.occurrence_id = $2
            ORDER BY w.is_read, CASE WHEN w.is_read = 0 THEN w.wave ELSE -w.wave END LIMIT 1
            """,
            app,
            occurrence
        ) { (row: SQLRow<WaveCarrierColumn>) in
            let (isRead, mustWait): (Bool, Bool) = (try row[.isRead], try row[.mustWait])
            return (wave: try row[.wave] as Int64, readAt: isRead || mustWait ? nil : try row[.readAt] as Timestamp)
        }
        guard let carrier else { return }
        // What waits to be tried again is closed at once when it is being cancelled.
        let retryWake = isCancelling ? retry.map { _ in Timestamp(rawValue: 0) } : retry
        let readWake = isCancelling ? nil : carrier.readAt
        try connection.run(
            "UPDATE waves SET retry_at = $1, wake_at = $2 WHERE app_id = $3 AND occurrence_id = $4 AND wave = $5",
            retry,
            [retryWake, readWake].compactMap(\.self).min(),
            app,
            occurrence,
            carrier.wave
        )
        try connection.run(
            "DELETE FROM waves WHERE app_id = $1 AND occurrence_id = $2 AND wave <> $3 AND is_read = 1",
            app,
            occurrence,
            carrier.wave
        )
        try connection.run(
            """
            UPDATE waves SET retry_at = NULL, wake_at = NULL
            WHERE app_id = $1 AND occurrence_id = $2 AND wave <> $3 AND (wake_at IS NOT NULL OR retry_at IS NOT NULL)
            """,
            app,
            occurrence,
            carrier.wave
        )
    }
}

extension Occurrence.State: SQLBindable, SQLReadable {
    /// What it means to whoever holds a Chunk.
    var campaignState: Campaign.State {
        switch self {
        case .planned: .scheduled
        case .sending: .sending
        case .paused: .paused
        case .cancelling: .cancelling
        case .cancelled, .missed: .cancelled
        case .sent: .sent
        }
    }
}
