import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `campaigns` that say where a Campaign stands, behind them whether one of its Occurrences is not over.
private enum ProgressColumn: Int, SQLColumn { case state, nextAt, occurrenceID, isOpen }

/// The columns of `occurrences` that a firing that does not begin has.
private enum GivenUpOccurrenceColumn: Int, SQLColumn {
    case appID, id, campaignID, lastDevice, startedAt, retryUntil, nextChunk, slot, part, state, plannedAt, hasBegun
    case finishedAt
}

/// How an Occurrence begins and how it ends. Each of these is part of a caller's transaction.
extension OccurrenceTable {
    /// Begins a Campaign's Occurrence, unless that firing has begun or was given up: the highest Device's number is
    /// frozen, later Devices are not in it.
    func begin(
        _ firing: Firing,
        of campaign: CampaignID,
        app: AppID,
        as occurrence: OccurrenceID,
        at now: Timestamp
    ) throws {
        let state = try connection.first(
            "SELECT state FROM campaigns WHERE app_id = $1 AND id = $2",
            app,
            campaign,
            as: Campaign.State.self
        )
        guard let state, CampaignLifecycle(state).apply(.begin) != .refused else { return }
        let begun = try connection.run(
            """
            INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk, slot,
                part, state, planned_at, accepted_at)
            SELECT c.app_id, $1, c.id, COALESCE((SELECT MAX(d.number) FROM devices d WHERE d.app_id = $2), 0),
                $3, $3 + c.retry_for, 1, $4, $5, 'sending', $6, COALESCE(c.accepted_at, c.created_at)
            FROM campaigns c WHERE c.app_id = $2 AND c.id = $7
            ON CONFLICT (app_id, campaign_id, slot, part) DO NOTHING
            """,
            occurrence,
            app,
            now,
            firing.slot,
            firing.part,
            firing.dueAt,
            campaign
        )
        guard begun == 1 else { return }
        try connection.run(
            """
            UPDATE campaigns SET state = $1, occurrence_id = $2, started_at = $3 WHERE app_id = $4 AND id = $5
            """,
            Campaign.State.sending,
            occurrence,
            now,
            app,
            campaign
        )
        try openInbox(of: occurrence, app: app)
        // Without a time zone of its own a Wave has no time: it goes out whatever becomes of the wall clock.
        try openWave(firing.wall == nil ? nil : firing.dueAt, of: occurrence, campaign: campaign, app: app)
        try connection.run(
            "UPDATE waves SET wake_at = due_at WHERE app_id = $1 AND occurrence_id = $2",
            app,
            occurrence
        )
    }

    /// Makes a Wave, if there is none that is due then.
    func openWave(
        _ dueAt: Timestamp?,
        of occurrence: OccurrenceID,
        campaign: CampaignID,
        app: AppID
    ) throws {
        try connection.run(
            """
            INSERT INTO waves (app_id, occurrence_id, wave, campaign_id, due_at, read_at, cursor, is_read)
            VALUES ($1, $2, $3, $4, $5, $5, 0, 0) ON CONFLICT (app_id, occurrence_id, wave) DO NOTHING
            """,
            app,
            occurrence,
            dueAt?.rawValue ?? OpenWave.first,
            campaign,
            dueAt?.rawValue ?? 0
        )
    }

    /// Keeps a firing that does not begin.
    func giveUp(
        _ firing: Firing,
        of campaign: CampaignID,
        app: AppID,
        as occurrence: OccurrenceID,
        state: Occurrence.State,
        at now: Timestamp
    ) throws {
        try connection.run(
            """
            INSERT INTO occurrences (\(GivenUpOccurrenceColumn.list)) VALUES (\(GivenUpOccurrenceColumn.parameters))
            ON CONFLICT (app_id, campaign_id, slot, part) DO NOTHING
            """
        ) { (row: SQLParameters<GivenUpOccurrenceColumn>) in
            row.bind(app, to: .appID)
            row.bind(occurrence, to: .id)
            row.bind(campaign, to: .campaignID)
            row.bind(0, to: .lastDevice)
            row.bind(now, to: .startedAt)
            row.bind(now, to: .retryUntil)
            row.bind(1, to: .nextChunk)
            row.bind(firing.slot, to: .slot)
            row.bind(firing.part, to: .part)
            row.bind(state, to: .state)
            row.bind(firing.dueAt, to: .plannedAt)
            row.bind(false, to: .hasBegun)
            row.bind(now, to: .finishedAt)
        }
    }

    /// Says which firing of a Campaign comes next.
    func setNext(_ next: Firing?, of campaign: CampaignID, app: AppID) throws {
        try connection.run(
            "UPDATE campaigns SET next_at = $1, next_slot = $2, next_part = $3 WHERE app_id = $4 AND id = $5",
            next?.dueAt,
            next?.slot,
            next?.part,
            app,
            campaign
        )
    }

    /// Makes a broadcast known to inboxes, if that is how its Campaign is looked up.
    private func openInbox(of occurrence: OccurrenceID, app: AppID) throws {
        try connection.run(
            """
            INSERT INTO inbox_broadcasts (app_id, occurrence_id, last_device)
            SELECT o.app_id, o.id, o.last_device FROM occurrences o
            JOIN campaigns c ON c.app_id = $1 AND c.id = o.campaign_id
            WHERE o.app_id = $1 AND o.id = $2 AND c.inbox = $3
            """,
            app,
            occurrence,
            InboxPlacement.lookUp.rawValue
        )
    }

    // MARK: - Ending

    /// Ends an Occurrence, and its Campaign when that was the last.
    ///
    /// - Returns: Where the Campaign stands for whoever holds Chunks of it.
    func finish(
        _ occurrence: OccurrenceID,
        of campaign: CampaignID,
        app: AppID,
        as state: Occurrence.State,
        at now: Timestamp
    ) throws -> Campaign.State {
        try connection.run("DELETE FROM waves WHERE app_id = $1 AND occurrence_id = $2", app, occurrence)
        try connection.run(
            """
            UPDATE occurrences SET state = $1, finished_at = $2, reached_nobody = CASE WHEN EXISTS (
                SELECT 1 FROM delivery_counts n WHERE n.app_id = $3 AND n.occurrence_id = $4
                    AND n.outcome <> $5 AND n.count > 0
                ) THEN 0 ELSE 1 END
            WHERE app_id = $3 AND id = $4
            """,
            state,
            now,
            app,
            occurrence,
            Delivery.Outcome.skipped
        )
        try connection.webhooks.noteEnd(of: occurrence, app: app, at: now)
        return try updateState(of: campaign, app: app, at: now)
    }

    /// Where a Campaign stands; the index of open Occurrences says whether it has one.
    static let progress: SQL = """
        SELECT \(ProgressColumn.list(through: .occurrenceID)),
            CASE WHEN EXISTS (SELECT 1 FROM occurrences o WHERE o.app_id = $1 AND o.campaign_id = $2
                AND o.state IN ('sending', 'paused', 'cancelling')) THEN 1 ELSE 0 END
        FROM campaigns c WHERE c.app_id = $1 AND c.id = $2
        """

    /// Works out where a Campaign stands after one of its Occurrences or its next firing changed.
    ///
    /// What is over costs nothing: a Campaign without an end has ever more of it.
    @discardableResult
    func updateState(of campaign: CampaignID, app: AppID, at now: Timestamp) throws -> Campaign.State {
        let found = try connection.first(Self.progress, app, campaign) { (row: SQLRow<ProgressColumn>) in
            let (next, last): (Timestamp?, OccurrenceID?) = (try row[.nextAt], try row[.occurrenceID])
            let progress = CampaignLifecycle.Progress(
                hasNext: next != nil,
                isOpen: try row[.isOpen],
                hasBegun: last != nil
            )
            return (try row[.state] as Campaign.State, progress)
        }
        guard let (state, progress) = found else { throw StoreError.failed("A chunk's campaign is gone.") }
        guard case .changed(let next) = CampaignLifecycle(state).apply(.progress(progress)) else { return state }
        let isOver = next.isOver
        let reachedNobody = try isOver && progress.hasBegun && !hasReached(campaign, app: app)
        try connection.run(
            """
            UPDATE campaigns SET state = $1, finished_at = COALESCE($2, finished_at), reached_nobody = $3
            WHERE app_id = $4 AND id = $5
            """,
            next,
            isOver ? now : nil,
            reachedNobody,
            app,
            campaign
        )
        return next
    }

    /// Whether an Occurrence of a Campaign reached somebody; asked once, at its end.
    private func hasReached(_ campaign: CampaignID, app: AppID) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM occurrences
            WHERE app_id = $1 AND campaign_id = $2 AND has_begun = 1 AND reached_nobody = 0 LIMIT 1
            """,
            app,
            campaign,
            as: Int64.self
        ) != nil
    }
}
