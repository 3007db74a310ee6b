package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// Campaigns in SQL.
package struct CampaignRepository: CampaignStore {
    let database: any Database

    package init(database: any Database) { self.database = database }

    package func insert(
        _ new: NewCampaign,
        for request: IdempotentRequest<Campaign>?
    ) async throws(StoreError) -> Campaign? {
        let (campaign, lists) = (new.campaign, RecipientLists(database: database))
        let parts = try RecipientPart.parts(of: new.recipients, database.dialect)
        let json = try campaign.encoded()
        try await lists.stage(parts, as: campaign.id, app: campaign.app, at: campaign.createdAt)
        do throws(StoreError) {
            let kept = try await database.write { connection in
                try connection.campaigns.insert(new, json, parts, for: request)
            }
            if kept == nil { await lists.discard(campaign.id, app: campaign.app) }
            return kept
        } catch {
            // If it was committed all the same, the list is the Campaign's and stays.
            if parts.count > 1 { await lists.discard(campaign.id, app: campaign.app) }
            throw error
        }
    }

    package func campaign(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign? {
        try await database.read { connection in
            guard let campaign = try connection.campaigns.listedCampaign(id, within: app) else { return nil }
            return try connection.campaigns.withWaits([campaign])[0]
        }
    }

    package func campaign(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> CampaignID? {
        try await database.read { connection in
            try connection.first(
                "SELECT campaign_id FROM occurrences WHERE app_id = $1 AND id = $2",
                app,
                occurrence,
                as: CampaignID.self
            )
        }
    }

    package func list(app: AppID?, after id: CampaignID?, limit: Int) async throws(StoreError) -> [Campaign] {
        let last = id ?? CampaignID(rawValue: .max)
        return try await database.read { connection in
            let campaigns: [Campaign] =
                if let app {
                    try connection.all(
                        """
                        SELECT \(CampaignColumn.list) FROM campaigns
                        WHERE app_id = $1 AND kind = 0 AND id < $2 AND is_test = 0 ORDER BY id DESC LIMIT $3
                        """,
                        app,
                        last,
                        limit,
                        read: Campaign.init(row:)
                    )
                } else {
                    try connection.all(
                        """
                        SELECT \(CampaignColumn.list) FROM campaigns
                        WHERE kind = 0 AND id < $1 AND is_test = 0 AND NOT EXISTS (SELECT 1 FROM deleted_apps x WHERE x.id = campaigns.app_id)
                        ORDER BY id DESC LIMIT $2
                        """,
                        last,
                        limit,
                        read: Campaign.init(row:)
                    )
                }
            return try connection.campaigns.withWaits(campaigns)
        }
    }
}

extension CampaignTable {
    /// Saves a Campaign with its list of recipients, and begins its Occurrence if it has one.
    fileprivate func insert(
        _ new: NewCampaign,
        _ json: EncodedCampaign,
        _ recipients: [RecipientPart],
        for request: IdempotentRequest<Campaign>?
    ) throws -> Campaign? {
        let campaign = new.campaign
        try connection.idempotencyKeys.begin(request)
        let app = try connection.first("SELECT id FROM apps WHERE id = $1", campaign.app, as: AppID.self)
        guard app != nil, try connection.audiences.isThere(campaign.audience, app: campaign.app) else { return nil }
        if let step = new.step { try connection.contentAlerts.apply(step, app: campaign.app) }
        try connection.run(
            "INSERT INTO campaigns (\(WrittenCampaignColumn.list)) VALUES (\(WrittenCampaignColumn.parameters))"
        ) { row in try new.bind(to: row, json) }
        try connection.recipients.save(recipients, as: campaign.id, app: campaign.app)
        if campaign.statisticsID != nil { try connection.statistics.saveStatisticsID(of: campaign) }
        try launch(campaign, Launch(occurrence: new.occurrence, next: new.next), at: campaign.createdAt)
        let kept = try connection.first(
            "SELECT \(CampaignColumn.list) FROM campaigns WHERE app_id = $1 AND id = $2",
            campaign.app,
            campaign.id
        ) { row in try Campaign(row: row, audience: campaign.audience) }
        if let kept { try connection.idempotencyKeys.complete(request, kept) }
        return kept
    }

    /// A Campaign that operators see: none of the messages between Users.
    func listedCampaign(_ id: CampaignID, within app: AppID?) throws -> Campaign? {
        guard let campaign = try campaign(id, within: app) else { return nil }
        let isListed = try connection.first(
            "SELECT 1 FROM campaigns WHERE app_id = $1 AND id = $2 AND kind = 0",
            campaign.app,
            id
        ) { _ in true }
        return isListed == nil ? nil : campaign
    }

    /// A Campaign of any kind; `nil` when there is none, or it is another App's.
    func campaign(_ id: CampaignID, within app: AppID?) throws -> Campaign? {
        guard let app = try connection.apps.app(of: id, in: .campaigns, within: app) else { return nil }
        return try connection.first(
            "SELECT \(CampaignColumn.list) FROM campaigns WHERE app_id = $1 AND id = $2",
            app,
            id,
            read: Campaign.init(row:)
        )
    }
}
