package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func planned(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> PlannedCampaign? {
        try await database.read { connection throws(StoreError) in
            guard try connection.listedCampaign(id, within: app) != nil else { return nil }
            return try connection.planned(id, within: app)
        }
    }

    package func send(
        _ id: CampaignID,
        within app: AppID?,
        _ launch: Launch,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            guard case .changed(let state) = campaign.lifecycle.apply(.send) else { return }
            try connection.run(
                "UPDATE campaigns SET state = $1, accepted_at = $2 WHERE app_id = $3 AND id = $4",
                state.rawValue,
                now,
                campaign.app,
                campaign.id
            )
            try connection.saveTiming(of: campaign)
            try connection.launch(campaign, launch, at: now)
        }
    }

    package func pause(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            guard case .changed = campaign.lifecycle.apply(.pause) else { return }
            try connection.pause(campaign.id, app: campaign.app, alarm: nil, at: now)
        }
    }

    package func resume(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            guard case .changed(let state) = campaign.lifecycle.apply(.resume) else { return }
            try connection.setState(state, of: campaign)
            // Who resumes it says that it goes out now; so it is not late.
            try connection.run(
                """
                UPDATE campaigns SET next_at = $1 WHERE app_id = $2 AND id = $3 AND next_slot = 0 AND next_at < $1
                """,
                now,
                campaign.app,
                campaign.id
            )
            try connection.run(
                """
                UPDATE occurrences SET state = 'sending', failures = 0, failed_until = 0
                WHERE app_id = $1 AND campaign_id = $2 AND state = 'paused'
                """,
                campaign.app,
                campaign.id
            )
            try connection.run(
                """
                UPDATE chunks SET free_at = 0, failures = 0
                WHERE app_id = $1 AND campaign_id = $2 AND owner IS NULL
                """,
                campaign.app,
                campaign.id
            )
            try connection.refreshAll(of: campaign, at: now)
        }
    }

    package func cancel(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            try connection.cancel(campaign, at: now)
        }
    }

    package func change(
        _ change: PlannedChange,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        let planned = change.planned
        let campaign = planned.campaign
        let audience = try CampaignRow.encode(campaign.audience)
        let message = try CampaignRow.encode(campaign.message)
        return try await database.write { connection throws(StoreError) in
            try connection.lock(.campaign(campaign.id))
            guard let before = try connection.listedCampaign(campaign.id, within: campaign.app) else { return nil }
            let event = CampaignLifecycle.Event.change(
                content: change.changesContent,
                hasBegun: before.occurrence != nil
            )
            guard before.lifecycle.apply(event) != .refused, before.says(as: change.read.campaign),
                try connection.planned(before.id, within: before.app)?.next == change.read.next
            else { return CampaignChange(before: before, after: before, isOutdated: true) }
            try connection.run(
                """
                UPDATE campaigns SET name = $1, audience = $2, message = $3, is_ad = $4, send_at = $5,
                    accepted_at = $6, updated_at = $7, inbox = $8, names_people = $9
                WHERE app_id = $10 AND id = $11
                """,
                campaign.name,
                audience,
                message,
                campaign.isAd,
                campaign.sendAt,
                planned.acceptedAt,
                now,
                try connection.inbox(of: campaign).rawValue,
                campaign.audience.namesPeople,
                campaign.app,
                campaign.id
            )
            if let recipients = change.recipients {
                try connection.deleteRecipients(of: campaign.id, app: campaign.app)
                try connection.insertRecipients(recipients, of: campaign.id, app: campaign.app)
            }
            try connection.saveTiming(of: campaign)
            try connection.setNext(planned.next, of: campaign.id, app: campaign.app)
            try connection.updateState(of: campaign.id, app: campaign.app, at: now)
            let after = try connection.campaign(campaign.id, within: campaign.app)
            return after.map { CampaignChange(before: before, after: $0) }
        }
    }

    // MARK: - Private

    private func change(
        _ id: CampaignID,
        within app: AppID?,
        _ body: @escaping @Sendable (any SQLConnection, Campaign) throws(StoreError) -> Void
    ) async throws(StoreError) -> CampaignChange? {
        try await database.write { connection throws(StoreError) in
            try connection.lock(.campaign(id))
            guard let before = try connection.listedCampaign(id, within: app) else { return nil }
            try body(connection, before)
            guard let after = try connection.campaign(id, within: before.app) else { return nil }
            return CampaignChange(before: before, after: after)
        }
    }
}

extension Campaign {
    /// Whether another reading of the Campaign is of the same change: an erasure, or another request, may have come between,
    /// whose list or recipients a request that did not see them must not overwrite.
    fileprivate func says(as other: Campaign) -> Bool {
        audience == other.audience && message == other.message && updatedAt == other.updatedAt
    }
}

extension Timestamp {
    /// Later than all others: until somebody changes it.
    static let never = Timestamp(rawValue: .max)
}

extension SQLConnection {
    /// A Campaign with where its firings stand.
    func planned(_ id: CampaignID, within app: AppID?) throws(StoreError) -> PlannedCampaign? {
        guard let campaign = try campaign(id, within: app) else { return nil }
        return try first(
            """
            SELECT next_slot, next_part, next_at, COALESCE(accepted_at, created_at) FROM campaigns
            WHERE app_id = $1 AND id = $2
            """,
            campaign.app,
            id
        ) { row in
            PlannedCampaign(
                campaign: campaign,
                next: row.isNull(2)
                    ? nil
                    : Firing(slot: row.int64(0), part: row.int64(1), dueAt: Timestamp(rawValue: row.int64(2))),
                acceptedAt: Timestamp(rawValue: row.int64(3))
            )
        }
    }

    /// Begins what is to begin at once and notes what comes next.
    func launch(_ campaign: Campaign, _ launch: Launch, at now: Timestamp) throws(StoreError) {
        if let next = launch.next { try setNext(next, of: campaign.id, app: campaign.app) }
        guard let occurrence = launch.occurrence else { return }
        let firing = Firing(slot: 0, dueAt: campaign.sendAt ?? now)
        try begin(firing, of: campaign.id, app: campaign.app, as: occurrence, at: now)
    }

    /// Cancels a Campaign that is not over; its lock is the caller's affair.
    func cancel(_ campaign: Campaign, at now: Timestamp) throws(StoreError) {
        guard case .changed(let state) = campaign.lifecycle.apply(.cancel) else { return }
        try setState(state, of: campaign)
        try setNext(nil, of: campaign.id, app: campaign.app)
        try run(
            """
            UPDATE occurrences SET state = 'cancelling'
            WHERE app_id = $1 AND campaign_id = $2 AND state IN ('sending', 'paused')
            """,
            campaign.app,
            campaign.id
        )
        try run(
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
    ) throws(StoreError) {
        let count = try run(
            """
            UPDATE campaigns SET state = 'paused', alarm = $1
            WHERE app_id = $2 AND id = $3 AND state IN ('scheduled', 'sending')
            """,
            alarm,
            app,
            campaign
        )
        if count > 0, let alarm { try noteHalt(of: campaign, app: app, alarm: alarm, at: now) }
        try run(
            "UPDATE occurrences SET state = 'paused' WHERE app_id = $1 AND campaign_id = $2 AND state = 'sending'",
            app,
            campaign
        )
        try run(
            """
            UPDATE waves SET wake_at = NULL
            WHERE app_id = $1 AND campaign_id = $2 AND occurrence_id IN (SELECT o.id FROM occurrences o
                WHERE o.app_id = $1 AND o.campaign_id = $2 AND o.state = 'paused')
            """,
            app,
            campaign
        )
        // Nobody looks at them until the Campaign is resumed.
        try run(
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

    fileprivate func saveTiming(of campaign: Campaign) throws(StoreError) {
        try run(
            "UPDATE campaigns SET timing = $1 WHERE app_id = $2 AND id = $3",
            try CampaignTiming(campaign).text,
            campaign.app,
            campaign.id
        )
    }

    fileprivate func inbox(of campaign: Campaign) throws(StoreError) -> InboxPlacement {
        let isTest = try first(
            "SELECT is_test FROM campaigns WHERE app_id = $1 AND id = $2",
            campaign.app,
            campaign.id
        ) { $0.bool(0) }
        var request = CampaignRequest(audience: campaign.audience, message: campaign.message)
        request.channel = campaign.channel
        return InboxPlacement(request, isTest: isTest ?? false)
    }

    fileprivate func setState(_ state: Campaign.State, of campaign: Campaign) throws(StoreError) {
        try run(
            "UPDATE campaigns SET state = $1, alarm = NULL WHERE app_id = $2 AND id = $3",
            state.rawValue,
            campaign.app,
            campaign.id
        )
    }

    /// Works out what all Occurrences that are under way wait for, and where the Campaign stands.
    fileprivate func refreshAll(of campaign: Campaign, at now: Timestamp) throws(StoreError) {
        let open = try all(
            """
            SELECT id FROM occurrences
            WHERE app_id = $1 AND campaign_id = $2 AND state IN ('sending', 'paused', 'cancelling')
            """,
            campaign.app,
            campaign.id
        ) { OccurrenceID(rawValue: $0.int64(0)) }
        for occurrence in open { _ = try refreshWork(of: occurrence, app: campaign.app, at: now) }
        try updateState(of: campaign.id, app: campaign.app, at: now)
    }
}
