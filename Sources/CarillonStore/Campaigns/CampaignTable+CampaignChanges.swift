import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension Timestamp {
    /// Later than all others: until somebody changes it.
    static let never = Timestamp(rawValue: .max)
}

/// The columns of `campaigns` that say which firing comes next.
private enum NextFiringColumn: Int, SQLColumn { case nextSlot, nextPart, nextAt, guards, acceptedAt }

extension CampaignTable {
    /// A Campaign with where its firings stand.
    func planned(_ id: CampaignID, within app: AppID?) throws -> PlannedCampaign? {
        guard let campaign = try campaign(id, within: app) else { return nil }
        return try connection.first(
            """
            SELECT \(NextFiringColumn.list(through: .guards)), COALESCE(accepted_at, created_at) FROM campaigns
            WHERE app_id = $1 AND id = $2
            """,
            campaign.app,
            id
        ) { (row: SQLRow<NextFiringColumn>) in
            let next: Timestamp? = campaign.state.isTimed ? nil : try row[.nextAt]
            return PlannedCampaign(
                campaign: campaign,
                next: try next.map { Firing(slot: try row[.nextSlot], part: try row[.nextPart], dueAt: $0) },
                acceptedAt: try row[.acceptedAt],
                guards: try row.optionalJSON(.guards) ?? CampaignGuards()
            )
        }
    }

    /// Begins what is to begin at once and notes what comes next.
    func launch(_ campaign: Campaign, _ launch: Launch, at now: Timestamp) throws {
        if let next = launch.next { try connection.occurrences.setNext(next, of: campaign.id, app: campaign.app) }
        guard let occurrence = launch.occurrence else { return }
        let firing = Firing(slot: 0, dueAt: campaign.sendAt ?? now)
        try connection.occurrences.begin(firing, of: campaign.id, app: campaign.app, as: occurrence, at: now)
    }

    /// Cancels a Campaign that is not over; its lock is the caller's affair.
    func cancel(_ campaign: Campaign, at now: Timestamp) throws {
        guard case .changed(let state) = campaign.lifecycle.apply(.cancel) else { return }
        try setState(state, of: campaign)
        try connection.occurrences.setNext(nil, of: campaign.id, app: campaign.app)
        try connection.run(
            """
            UPDATE occurrences SET state = 'cancelling'
            WHERE app_id = $1 AND campaign_id = $2 AND state IN ('sending', 'paused')
            """,
            campaign.app,
            campaign.id
        )
        try connection.run(
            "DELETE FROM chunks WHERE app_id = $1 AND campaign_id = $2 AND owner IS NULL",
            campaign.app,
            campaign.id
        )
        try refreshAll(of: campaign, at: now)
    }

    /// Pauses a Campaign and its Occurrences; those that are being cancelled go on to their end.
    func pause(
        _ campaign: CampaignID,
        app: AppID,
        alarm: String?,
        at now: Timestamp
    ) throws {
        let count = try connection.run(
            """
            UPDATE campaigns SET state = 'paused', alarm = $1
            WHERE app_id = $2 AND id = $3 AND state IN ('scheduled', 'sending')
            """,
            alarm,
            app,
            campaign
        )
        if count > 0, let alarm { try connection.webhooks.noteHalt(of: campaign, app: app, alarm: alarm, at: now) }
        try connection.run(
            "UPDATE occurrences SET state = 'paused' WHERE app_id = $1 AND campaign_id = $2 AND state = 'sending'",
            app,
            campaign
        )
        try connection.run(
            """
            UPDATE waves SET wake_at = NULL
            WHERE app_id = $1 AND campaign_id = $2 AND occurrence_id IN (SELECT o.id FROM occurrences o
                WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.state = 'paused')
            """,
            app,
            campaign
        )
        // Nobody looks at them until the Campaign is resumed.
        try connection.run(
            """
            UPDATE chunks SET free_at = $1
            WHERE app_id = $2 AND campaign_id = $3 AND owner IS NULL AND occurrence_id IN (
                SELECT o.id FROM occurrences o WHERE o.app_id = $2 AND o.campaign_id = $3 AND o.state = 'paused')
            """,
            Timestamp.never,
            app,
            campaign
        )
    }

    func saveTiming(of campaign: Campaign) throws {
        try connection.run(
            "UPDATE campaigns SET timing = $1 WHERE app_id = $2 AND id = $3",
            try CampaignTiming(campaign).text,
            campaign.app,
            campaign.id
        )
    }

    func inbox(of campaign: Campaign) throws -> InboxPlacement {
        let isTest = try connection.first(
            "SELECT is_test FROM campaigns WHERE app_id = $1 AND id = $2",
            campaign.app,
            campaign.id,
            as: Bool.self
        )
        var request = CampaignRequest(audience: campaign.audience, message: campaign.message)
        request.channel = campaign.channel
        return InboxPlacement(request, isTest: isTest ?? false)
    }

    func setState(_ state: Campaign.State, of campaign: Campaign) throws {
        try connection.run(
            "UPDATE campaigns SET state = $1, alarm = NULL WHERE app_id = $2 AND id = $3",
            state,
            campaign.app,
            campaign.id
        )
    }

    /// Works out what all Occurrences that are under way wait for, and where the Campaign stands.
    func refreshAll(of campaign: Campaign, at now: Timestamp) throws {
        let open = try connection.all(
            """
            SELECT id FROM occurrences
            WHERE app_id = $1 AND campaign_id = $2 AND state IN ('sending', 'paused', 'cancelling')
            """,
            campaign.app,
            campaign.id,
            as: OccurrenceID.self
        )
        for occurrence in open {
            _ = try connection.occurrences.refreshWork(of: occurrence, app: campaign.app, at: now)
        }
        try connection.occurrences.updateState(of: campaign.id, app: campaign.app, at: now)
    }
}
