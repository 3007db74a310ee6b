package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel

/// Campaigns in SQL.
package struct CampaignRepository: CampaignStore {
    let database: any Database

    package init(database: any Database) { self.database = database }

    package func insert(_ new: NewCampaign) async throws(StoreError) -> Campaign? {
        let campaign = new.campaign
        let audience = try CampaignRow.encode(campaign.audience)
        let message = try CampaignRow.encode(campaign.message)
        return try await database.write { connection throws(StoreError) in
            let app = try connection.first("SELECT id FROM apps WHERE id = $1", campaign.app) { $0.int64(0) }
            guard app != nil else { return nil }
            try connection.run(
                """
                INSERT INTO campaigns (app_id, id, name, state, audience, message, is_ad, is_test, send_at, retry_for,
                    created_at, channel, inbox)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                """,
                campaign.app,
                campaign.id,
                campaign.name,
                campaign.state.rawValue,
                audience,
                message,
                campaign.isAd,
                new.isTest,
                campaign.sendAt,
                new.retryFor.milliseconds,
                campaign.createdAt,
                campaign.channel.code,
                new.inbox.rawValue
            )
            try connection.keepStatisticsID(of: campaign)
            if let occurrence = new.occurrence {
                try connection.begin(campaign.id, app: campaign.app, as: occurrence, at: campaign.createdAt)
            }
            return try connection.campaign(campaign.id)
        }
    }

    package func dialect(of app: AppID) async throws(StoreError) -> App.Dialect? {
        try await database.read { connection throws(StoreError) in
            try connection.first("SELECT dialect FROM apps WHERE id = $1", app) { row throws(StoreError) in
                try App.Dialect.stored(row.string(0))
            }
        }
    }

    package func campaign(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign? {
        try await database.read { connection throws(StoreError) in
            try connection.campaign(id, within: app)
        }
    }

    package func list(app: AppID?, after id: CampaignID?, limit: Int) async throws(StoreError) -> [Campaign] {
        let last = id ?? CampaignID(rawValue: .max)
        return try await database.read { connection throws(StoreError) in
            guard let app else {
                return try connection.all(
                    """
                    SELECT app_id, id, name, state, alarm, audience, message, is_ad, send_at, created_at, occurrence_id,
                        started_at, finished_at, channel, statistics_id
                    FROM campaigns WHERE id < $1 AND is_test = 0 ORDER BY id DESC LIMIT $2
                    """,
                    last,
                    limit,
                    read: CampaignRow.read
                )
            }
            return try connection.all(
                """
                SELECT app_id, id, name, state, alarm, audience, message, is_ad, send_at, created_at, occurrence_id,
                    started_at, finished_at, channel, statistics_id
                FROM campaigns WHERE app_id = $1 AND id < $2 AND is_test = 0 ORDER BY id DESC LIMIT $3
                """,
                app,
                last,
                limit,
                read: CampaignRow.read
            )
        }
    }

    package func send(
        _ id: CampaignID,
        within app: AppID?,
        occurrence: OccurrenceID,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            switch campaign.state {
            case .draft:
                if let sendAt = campaign.sendAt, sendAt > now {
                    try connection.setState(.scheduled, of: campaign)
                } else {
                    try connection.begin(id, app: campaign.app, as: occurrence, at: now)
                }
            case .paused:
                try connection.setState(.sending, of: campaign)
                try connection.refresh(campaign, at: now)
            case .scheduled, .sending, .cancelling, .cancelled, .sent: break
            }
        }
    }

    package func cancel(
        _ id: CampaignID,
        within app: AppID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange? {
        try await change(id, within: app) { connection, campaign throws(StoreError) in
            switch campaign.state {
            case .draft, .scheduled:
                try connection.finish(campaign.app, id, as: .cancelled, at: now)
            case .sending, .paused:
                try connection.setState(.cancelling, of: campaign)
                try connection.run(
                    "DELETE FROM chunks WHERE app_id = $1 AND occurrence_id = $2 AND owner IS NULL",
                    campaign.app,
                    campaign.occurrence
                )
                try connection.refresh(campaign, at: now)
            case .cancelling, .cancelled, .sent: break
            }
        }
    }

    // MARK: - Private

    private func change(
        _ id: CampaignID,
        within app: AppID?,
        _ body: @escaping @Sendable (any SQLConnection, Campaign) throws(StoreError) -> Void
    ) async throws(StoreError) -> CampaignChange? {
        try await database.write { connection throws(StoreError) in
            guard let before = try connection.campaign(id, within: app) else { return nil }
            try body(connection, before)
            guard let after = try connection.campaign(id) else { return nil }
            return CampaignChange(before: before, after: after)
        }
    }
}

extension SQLConnection {
    /// A Campaign; `nil` when there is none, or it is another App's.
    func campaign(_ id: CampaignID, within app: AppID? = nil) throws(StoreError) -> Campaign? {
        let campaign = try first(
            """
            SELECT app_id, id, name, state, alarm, audience, message, is_ad, send_at, created_at, occurrence_id,
                started_at, finished_at, channel, statistics_id
            FROM campaigns WHERE id = $1
            """,
            id,
            read: CampaignRow.read
        )
        guard let campaign, app == nil || campaign.app == app else { return nil }
        return campaign
    }

    fileprivate func setState(_ state: Campaign.State, of campaign: Campaign) throws(StoreError) {
        try run(
            "UPDATE campaigns SET state = $1, alarm = NULL WHERE app_id = $2 AND id = $3",
            state.rawValue,
            campaign.app,
            campaign.id
        )
    }

    fileprivate func refresh(_ campaign: Campaign, at now: Timestamp) throws(StoreError) {
        guard let occurrence = campaign.occurrence else { return }
        _ = try refreshWork(of: occurrence, app: campaign.app, at: now)
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
