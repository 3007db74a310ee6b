package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension CampaignRepository {
    package func move(_ move: GuardedMove, at now: Timestamp) async throws(StoreError) -> CampaignChange? {
        let (campaign, guards) = (move.read.campaign, try move.guards.text)
        let audience = try move.audience.map { audience throws(StoreError) in try JSONColumn(audience) }
        return try await database.write { connection in
            try connection.lock(.campaign(campaign.id))
            guard let stored = try connection.campaigns.planned(campaign.id, within: campaign.app) else { return nil }
            let before = stored.campaign
            guard before.state == campaign.state, before.version == campaign.version, stored.guards == move.read.guards,
                case .changed(let state) = before.lifecycle.apply(move.event)
            else { return CampaignChange(before: before, after: before, isOutdated: true) }
            try connection.campaigns.write(move, of: before, state, guards)
            if let audience { try connection.campaigns.save(audience, of: before) }
            if let launch = move.launch { try connection.campaigns.launch(before, launch, at: now) }
            return try connection.campaigns.campaign(campaign.id, within: campaign.app)
                .map { CampaignChange(before: before, after: $0) }
        }
    }

    package func otherSenders(
        in app: AppID,
        besides person: OperatorID?
    ) async throws(StoreError) -> Int {
        try await database.read { connection in
            try connection.all(
                """
                SELECT o.id FROM operators o
                WHERE o.state = $1 AND o.id <> $2 AND (o.role >= $3 OR EXISTS (
                    SELECT 1 FROM operator_roles r WHERE r.operator_id = o.id AND r.app_id = $4 AND r.role >= $3))
                ORDER BY o.id LIMIT 2
                """,
                Operator.State.active,
                person?.rawValue ?? -1,
                OperatorRole.sender,
                app,
                as: OperatorID.self
            ).count
        }
    }

    package func waiting(
        app: AppID?,
        after id: CampaignID?,
        limit: Int
    ) async throws(StoreError) -> [Campaign] {
        let last = id ?? CampaignID(rawValue: .max)
        return try await database.read { connection in
            if let app {
                return try connection.all(
                    """
                    SELECT \(CampaignColumn.list) FROM campaigns
                    WHERE app_id = $1 AND state = 'needsApproval' AND id < $2 ORDER BY id DESC LIMIT $3
                    """,
                    app,
                    last,
                    limit,
                    read: Campaign.init(row:)
                )
            }
            return try connection.all(
                """
                SELECT \(CampaignColumn.list) FROM campaigns
                WHERE state = 'needsApproval' AND id < $1
                    AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = campaigns.app_id)
                ORDER BY id DESC LIMIT $2
                """,
                last,
                limit,
                read: Campaign.init(row:)
            )
        }
    }

    package func addRecipients(
        _ count: Int,
        of key: APIKeyID,
        limit: Int,
        at now: Timestamp
    ) async throws(StoreError) -> Int {
        let hourAgo = now.advanced(by: .seconds(-3_600))
        return try await database.write { connection in
            // Of two Campaigns at once the second one sees the first.
            try connection.lock(.keys)
            let used = try connection.first(
                "SELECT sent_recipients FROM api_keys WHERE id = $1 AND sent_since > $2 LIMIT 1",
                key,
                hourAgo,
                as: Int.self
            )
            guard (used ?? 0) + count <= limit else { return used ?? 0 }
            try connection.run(
                """
                UPDATE api_keys SET sent_recipients = $1, sent_since = CASE WHEN sent_since > $2 THEN sent_since ELSE $3 END
                WHERE id = $4
                """,
                (used ?? 0) + count,
                hourAgo,
                now,
                key
            )
            return used ?? 0
        }
    }
}

extension CampaignTable {
    /// Writes the state and what comes next.
    fileprivate func write(
        _ move: GuardedMove,
        of campaign: Campaign,
        _ state: Campaign.State,
        _ guards: String?
    ) throws {
        // The times of a draft count from when it is sent.
        try connection.run(
            """
            UPDATE campaigns SET state = $1, alarm = NULL, guards = $2, next_at = $3, next_slot = NULL, next_part = NULL,
                accepted_at = COALESCE($4, accepted_at)
            WHERE app_id = $5 AND id = $6
            """,
            state,
            guards,
            move.until,
            move.acceptedAt,
            campaign.app,
            campaign.id
        )
    }

    /// Puts the rule of a saved audience in the place of its id.
    fileprivate func save(_ audience: JSONColumn<Audience>, of campaign: Campaign) throws {
        try connection.run(
            "UPDATE campaigns SET audience = $1, names_people = $2 WHERE app_id = $3 AND id = $4",
            audience,
            audience.value.namesPeople,
            campaign.app,
            campaign.id
        )
    }
}
