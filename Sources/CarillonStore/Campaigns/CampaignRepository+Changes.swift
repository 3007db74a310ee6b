package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func planned(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> PlannedCampaign? {
        try await database.read { connection in
            guard try connection.campaigns.listedCampaign(id, within: app) != nil else { return nil }
            return try connection.campaigns.planned(id, within: app)
        }
    }

    package func send(
        _ id: CampaignID,
        within app: AppID?,
        _ launch: Launch,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign in
            guard case .changed(let state) = campaign.lifecycle.apply(.send) else { return }
            try connection.run(
                "UPDATE campaigns SET state = $1, accepted_at = $2 WHERE app_id = $3 AND id = $4",
                state,
                now,
                campaign.app,
                campaign.id
            )
            try connection.campaigns.saveTiming(of: campaign)
            try connection.campaigns.launch(campaign, launch, at: now)
        }
    }

    package func pause(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign in
            guard case .changed = campaign.lifecycle.apply(.pause) else { return }
            try connection.campaigns.pause(campaign.id, app: campaign.app, alarm: nil, at: now)
        }
    }

    package func resume(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign in
            guard case .changed(let state) = campaign.lifecycle.apply(.resume) else { return }
            try connection.campaigns.setState(state, of: campaign)
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
            try connection.campaigns.refreshAll(of: campaign, at: now)
        }
    }

    package func cancel(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign in
            try connection.campaigns.cancel(campaign, at: now)
        }
    }

    package func change(
        _ change: PlannedChange,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        let planned = change.planned
        let campaign = planned.campaign
        let json = try campaign.encoded()
        return try await database.write { connection in
            try connection.lock(.campaign(campaign.id))
            guard let before = try connection.campaigns.listedCampaign(campaign.id, within: campaign.app) else {
                return nil
            }
            let event = CampaignLifecycle.Event.change(
                content: change.changesContent,
                hasBegun: before.occurrence != nil
            )
            guard before.lifecycle.apply(event) != .refused, before.says(as: change.read.campaign),
                try connection.campaigns.planned(before.id, within: before.app)?.next == change.read.next
            else { return CampaignChange(before: before, after: before, isOutdated: true) }
            let inbox = try connection.campaigns.inbox(of: campaign)
            try connection.run(
                """
                UPDATE campaigns SET \(WrittenCampaignColumn.assignments(through: .content))
                WHERE app_id = $11 AND id = $12
                """
            ) { row in
                try campaign.bind(to: row, json, acceptedAt: planned.acceptedAt, updatedAt: now, inbox: inbox)
            }
            if let recipients = change.recipients {
                try connection.recipients.deleteRecipients(of: campaign.id, app: campaign.app)
                try connection.recipients.insertRecipients(recipients, of: campaign.id, app: campaign.app)
            }
            if before.statisticsID != campaign.statisticsID {
                try connection.statistics.saveStatisticsID(of: campaign)
            }
            try connection.campaigns.saveTiming(of: campaign)
            try connection.occurrences.setNext(planned.next, of: campaign.id, app: campaign.app)
            try connection.occurrences.updateState(of: campaign.id, app: campaign.app, at: now)
            let after = try connection.campaigns.campaign(campaign.id, within: campaign.app)
            return after.map { CampaignChange(before: before, after: $0) }
        }
    }

    package func deleteDraft(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign? {
        try await database.write { connection in
            try connection.lock(.campaign(id))
            guard let campaign = try connection.campaigns.listedCampaign(id, within: app) else { return nil }
            guard campaign.state == .draft else { return campaign }
            try connection.recipients.deleteRecipients(of: id, app: campaign.app)
            try connection.run("DELETE FROM campaigns WHERE app_id = $1 AND id = $2", campaign.app, id)
            return campaign
        }
    }

    // MARK: - Private

    private func change(
        _ id: CampaignID,
        within app: AppID?,
        _ body: @escaping @Sendable (any SQLConnection, Campaign) throws -> Void
    ) async throws(StoreError) -> CampaignChange? {
        try await database.write { connection in
            try connection.lock(.campaign(id))
            guard let before = try connection.campaigns.listedCampaign(id, within: app) else { return nil }
            try body(connection, before)
            guard let after = try connection.campaigns.campaign(id, within: before.app) else { return nil }
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
