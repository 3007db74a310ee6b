package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func occurrences(
        of campaign: Campaign,
        after last: Firing?,
        limit: Int
    ) async throws(StoreError) -> [(Firing, Occurrence)] {
        try await database.read { connection in
            let rows = try connection.all(
                """
                SELECT \(FiringColumn.list) FROM occurrences
                WHERE app_id = $1 AND campaign_id = $2 AND (slot, part) > ($3, $4) ORDER BY slot, part LIMIT $5
                """,
                campaign.app,
                campaign.id,
                last?.slot ?? -1,
                last?.part ?? 0,
                limit,
                read: campaign.firing(row:)
            )
            var occurrences: [(Firing, Occurrence)] = []
            for (firing, occurrence) in rows {
                occurrences.append((firing, try connection.occurrences.withFigures(occurrence, of: campaign)))
            }
            return occurrences
        }
    }

    package func firing(of occurrence: OccurrenceID, in campaign: Campaign) async throws(StoreError) -> Firing? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT \(FiringColumn.list) FROM occurrences WHERE app_id = $1 AND campaign_id = $2 AND id = $3 LIMIT 1
                """,
                campaign.app,
                campaign.id,
                occurrence,
                read: campaign.firing(row:)
            )?.0
        }
    }

    package func cancel(
        _ firing: Firing,
        of planned: PlannedCampaign,
        next: Firing?,
        as occurrence: OccurrenceID,
        at now: Timestamp
    ) async throws(StoreError) -> (Firing, Occurrence)? {
        let campaign = planned.campaign
        return try await database.write { connection in
            try connection.lock(.campaign(campaign.id))
            guard let current = try connection.campaigns.planned(campaign.id, within: campaign.app),
                current.next == planned.next, !current.campaign.state.isOver
            else { return nil }
            if let id = try connection.occurrences.open(firing, of: campaign) {
                try connection.occurrences.cancel(id, of: campaign, at: now)
            } else {
                guard planned.next.map({ (firing.slot, firing.part) >= ($0.slot, $0.part) }) ?? false else {
                    return nil
                }
                try connection.occurrences.giveUp(
                    firing,
                    of: campaign.id,
                    app: campaign.app,
                    as: occurrence,
                    state: .cancelled,
                    at: now
                )
                try connection.occurrences.setNext(next, of: campaign.id, app: campaign.app)
                try connection.occurrences.updateState(of: campaign.id, app: campaign.app, at: now)
            }
            return try connection.occurrences.occurrence(firing, of: campaign)
        }
    }
}

/// The columns of `occurrences` that a firing and its Occurrence are read from.
private enum FiringColumn: Int, SQLColumn {
    case slot, part, plannedAt, id, state, hasBegun, startedAt, finishedAt, reachedNobody
}

extension Campaign {
    fileprivate func firing(row: SQLRow<FiringColumn>) throws -> (Firing, Occurrence) {
        let firing = Firing(slot: try row[.slot], part: try row[.part], dueAt: try row[.plannedAt])
        var occurrence = Occurrence(
            at: firing.wall,
            group: isGrouped ? Int(firing.part) + 1 : nil,
            plannedAt: firing.dueAt,
            state: try row[.state]
        )
        occurrence.id = try row[.id]
        if try row[.hasBegun] { occurrence.startedAt = try row[.startedAt] }
        occurrence.finishedAt = try row[.finishedAt]
        occurrence.reachedNobody = try row[.reachedNobody]
        return (firing, occurrence)
    }
}

extension OccurrenceTable {
    /// The Occurrence of a firing, with figures.
    fileprivate func occurrence(
        _ firing: Firing,
        of campaign: Campaign
    ) throws -> (Firing, Occurrence)? {
        let found = try connection.first(
            """
            SELECT \(FiringColumn.list) FROM occurrences
            WHERE app_id = $1 AND campaign_id = $2 AND slot = $3 AND part = $4
            """,
            campaign.app,
            campaign.id,
            firing.slot,
            firing.part,
            read: campaign.firing(row:)
        )
        guard let (firing, occurrence) = found else { return nil }
        return (firing, try withFigures(occurrence, of: campaign))
    }

    fileprivate func withFigures(_ bare: Occurrence, of campaign: Campaign) throws -> Occurrence {
        var occurrence = bare
        guard let id = occurrence.id, occurrence.startedAt != nil else { return occurrence }
        occurrence.funnel = try connection.campaigns.funnel(of: id, campaign: campaign.id, app: campaign.app)
        occurrence.remaining = occurrence.funnel.retrying
        guard occurrence.state != .sent else { return occurrence }
        occurrence.waitingForStoreSince = try connection.campaigns.waitingSince(id, of: campaign.id)
        occurrence.remaining += try connection.campaigns.unread(of: id, campaign.audience, app: campaign.app)
        occurrence.nextAt = try connection.campaigns.resumption(of: campaign.id, id, app: campaign.app)
        return occurrence
    }

    /// The id of a firing that has begun and is not over.
    fileprivate func open(_ firing: Firing, of campaign: Campaign) throws -> OccurrenceID? {
        try connection.first(
            """
            SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id = $2 AND slot = $3 AND part = $4
                AND state IN ('sending', 'paused', 'cancelling')
            """,
            campaign.app,
            campaign.id,
            firing.slot,
            firing.part,
            as: OccurrenceID.self
        )
    }

    fileprivate func cancel(_ id: OccurrenceID, of campaign: Campaign, at now: Timestamp) throws {
        try connection.run(
            "UPDATE occurrences SET state = 'cancelling' WHERE app_id = $1 AND id = $2",
            campaign.app,
            id
        )
        try connection.run(
            "DELETE FROM chunks WHERE app_id = $1 AND occurrence_id = $2 AND owner IS NULL",
            campaign.app,
            id
        )
        _ = try refreshWork(of: id, app: campaign.app, at: now)
    }
}
