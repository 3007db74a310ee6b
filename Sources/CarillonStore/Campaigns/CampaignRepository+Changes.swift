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
        let (campaign, lists) = (change.planned.campaign, RecipientLists(database: database))
        let json = try campaign.encoded()
        let parts = try RecipientPart.parts(of: change.recipients?.recipients ?? [], database.dialect)
        let list = change.recipients?.list ?? campaign.id
        try await lists.stage(parts, as: list, app: campaign.app, at: now)
        do throws(StoreError) {
            let (changed, old) = try await database.write { connection in
                let isThere = try connection.audiences.isThere(campaign.audience, app: campaign.app)
                try connection.lock(.campaign(campaign.id))
                let old = try connection.recipients.list(of: campaign.id, app: campaign.app)
                guard isThere else {
                    let before = try connection.campaigns.listedCampaign(campaign.id, within: campaign.app)
                    return (before.map { CampaignChange(before: $0, after: $0, isOutdated: true) }, old)
                }
                return (try connection.campaigns.apply(change, parts, json, at: now), old)
            }
            if change.recipients != nil { await lists.discard(old, app: campaign.app) }
            if parts.count > 1 { await lists.discard(list, app: campaign.app) }
            return changed
        } catch {
            if parts.count > 1 { await lists.discard(list, app: campaign.app) }
            throw error
        }
    }

    package func deleteDraft(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign? {
        let (deleted, list) = try await database.write { connection -> (Campaign?, CampaignID) in
            try connection.lock(.campaign(id))
            guard let campaign = try connection.campaigns.listedCampaign(id, within: app) else { return (nil, id) }
            guard campaign.isDeletable else { return (campaign, id) }
            let list = try connection.recipients.list(of: id, app: campaign.app)
            try connection.recipients.discardList(of: id, app: campaign.app)
            try connection.run("DELETE FROM campaigns WHERE app_id = $1 AND id = $2", campaign.app, id)
            return (campaign, list)
        }
        if let deleted { await RecipientLists(database: database).discard(list, app: deleted.app) }
        return deleted
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

extension CampaignTable {
    /// Writes a change, if nothing else changed since it was read.
    fileprivate func apply(
        _ change: PlannedChange,
        _ recipients: [RecipientPart],
        _ json: EncodedCampaign,
        at now: Timestamp
    ) throws -> CampaignChange? {
        let planned = change.planned
        let campaign = planned.campaign
        guard let before = try listedCampaign(campaign.id, within: campaign.app) else { return nil }
        let event = CampaignLifecycle.Event.change(content: change.changesContent, hasBegun: before.occurrence != nil)
        let isAllowed = !change.voids || before.lifecycle.apply(.void) != .refused && before.occurrence == nil
        let stored = try self.planned(before.id, within: before.app)
        guard before.lifecycle.apply(event) != .refused, isAllowed, before.says(as: change.read.campaign),
            stored?.next == change.read.next, stored?.guards == change.read.guards
        else { return CampaignChange(before: before, after: before, isOutdated: true) }
        let (inbox, guards) = (try inbox(of: campaign), try planned.guards.text)
        try connection.run(
            """
            UPDATE campaigns SET \(WrittenCampaignColumn.assignments(through: .guards))
            WHERE app_id = $15 AND id = $16
            """
        ) { row in
            try campaign.bind(to: row, json, acceptedAt: planned.acceptedAt, updatedAt: now, inbox: inbox)
            row.bind(guards, to: .guards)
        }
        if change.voids { try setState(.draft, of: campaign) }
        if let list = change.recipients?.list { try replaceRecipients(of: campaign, with: recipients, as: list) }
        if before.statisticsID != campaign.statisticsID {
            try connection.statistics.saveStatisticsID(of: campaign)
        }
        try saveTiming(of: campaign)
        try connection.occurrences.setNext(planned.next, of: campaign.id, app: campaign.app)
        try connection.occurrences.updateState(of: campaign.id, app: campaign.app, at: now)
        let after = try self.campaign(campaign.id, within: campaign.app)
        return after.map { CampaignChange(before: before, after: $0) }
    }

    private func replaceRecipients(
        of campaign: Campaign,
        with recipients: [RecipientPart],
        as list: CampaignID
    ) throws {
        try connection.recipients.discardList(of: campaign.id, app: campaign.app)
        try connection.recipients.save(recipients, as: list, app: campaign.app)
        try connection.run(
            "UPDATE campaigns SET recipients_id = $1 WHERE app_id = $2 AND id = $3",
            list,
            campaign.app,
            campaign.id
        )
    }
}

extension Campaign {
    /// Whether another reading of the Campaign is of the same change: an erasure, or another request, may have come between,
    /// whose list or recipients a request that did not see them must not overwrite.
    fileprivate func says(as other: Campaign) -> Bool {
        audience == other.audience && message == other.message && updatedAt == other.updatedAt
            && version == other.version
    }
}
