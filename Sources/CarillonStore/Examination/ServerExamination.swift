package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// What the store says about a server's work: who can administer it, what waits for a person, what stands still.
///
/// Nothing is changed. Lists have at most ``limit`` entries.
package struct ServerExamination: Hashable, Sendable {
    /// How many entries a list has at most.
    package static let limit = 20

    /// A Campaign that is paused with an alarm.
    package struct HaltedCampaign: Hashable, Sendable {
        package var app: AppID
        package var campaign: CampaignID
        package var alarm: String
    }

    /// Work that is due and that nobody does.
    package struct StandingWork: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// A Campaign whose next firing is due.
            case campaign
            /// A Wave of which more is to be read.
            case wave
            /// A Chunk that nobody holds.
            case freeChunk
            /// A Chunk whose holder shows no heartbeat.
            case heldChunk
            /// Outcomes that a dispatcher cannot commit.
            case outcomes
        }

        package var kind: Kind
        package var app: AppID?
        package var campaign: CampaignID
        /// Since when; `nil` where it is not known.
        package var since: Timestamp?

        package init(kind: Kind, app: AppID?, campaign: CampaignID, since: Timestamp?) {
            self.kind = kind
            self.app = app
            self.campaign = campaign
            self.since = since
        }
    }

    /// A webhook that is disabled, or whose endpoint fails.
    package struct FailingWebhook: Hashable, Sendable {
        package var app: AppID
        package var webhook: WebhookID
        package var isActive: Bool
        package var alarm: String?
        package var failingSince: Timestamp?

        package init(app: AppID, webhook: WebhookID, isActive: Bool, alarm: String?, failingSince: Timestamp?) {
            self.app = app
            self.webhook = webhook
            self.isActive = isActive
            self.alarm = alarm
            self.failingSince = failingSince
        }
    }

    /// An App without a push key that has something to send, or somebody to send to.
    package struct AppWithoutPushKey: Hashable, Sendable {
        package var app: AppID
        package var hasDevices: Bool
        package var hasCampaigns: Bool
    }

    /// Whether an unexpired key of the server has the scope `admin`.
    package var hasAdministrator = false
    /// The first API key, while it was never used.
    package var unusedFirstKey: APIKeyID?
    package var appsWithoutPushKey: [AppWithoutPushKey] = []
    package var halted: [HaltedCampaign] = []
    package var standing: [StandingWork] = []
    package var webhooks: [FailingWebhook] = []
    /// When a dispatcher last showed a heartbeat; `nil` when none did.
    ///
    /// An idle one shows none.
    package var lastHeartbeat: Timestamp?
    /// The time of the newest record; `nil` in an empty store.
    package var newestRecord: Timestamp?
    /// The database's own clock; `nil` where it has none.
    package var databaseClock: Timestamp?

    /// An examination that found nothing.
    package init() {}

    /// Examines a store whose schema is this version's.
    ///
    /// - Parameters:
    ///   - database: The store.
    ///   - now: The wall clock.
    ///   - patience: How long work may have been due.
    /// - Throws: ``StoreError``.
    package init(of database: any Database, at now: Timestamp, patience: Duration) async throws(StoreError) {
        let past = now.advanced(by: .zero - patience)
        (hasAdministrator, unusedFirstKey, appsWithoutPushKey) = try await database.read {
            connection in
            (
                try connection.examination.hasAdministrator(at: now), try connection.examination.unusedFirstKey(),
                try connection.examination.appsWithoutKey()
            )
        }
        (halted, webhooks) = try await database.read { connection in
            (try connection.examination.haltedCampaigns(), try connection.examination.failingWebhooks())
        }
        standing = try await database.read { connection in
            try connection.examination.overdueCampaigns(before: past)
                + connection.examination.overdueWaves(before: past)
                + connection.examination.freeChunks(before: past) + connection.examination.abandonedChunks(before: past)
                + connection.examination.waitingOutcomes(before: past)
        }
        (newestRecord, databaseClock, lastHeartbeat) = try await database.read { connection in
            (
                try connection.examination.newestRecord(), try connection.examination.clock(),
                try connection.examination.lastHeartbeat()
            )
        }
    }
}

private enum FailingWebhookColumn: Int, SQLColumn { case appID, id, isActive, alarm, failingSince }

extension ExaminationQueries {
    fileprivate func hasAdministrator(at now: Timestamp) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM api_keys
            WHERE app_id IS NULL AND (expires_at IS NULL OR expires_at > $1)
                AND ' ' || scopes || ' ' LIKE '% admin %'
            LIMIT 1
            """,
            now
        ) { _ in true } ?? false
    }

    fileprivate func unusedFirstKey() throws -> APIKeyID? {
        try connection.first(
            "SELECT id FROM api_keys WHERE sealed_secret IS NOT NULL ORDER BY id LIMIT 1",
            as: APIKeyID.self
        )
    }

    fileprivate func appsWithoutKey() throws -> [ServerExamination.AppWithoutPushKey] {
        try connection.all(
            """
            SELECT id, has_devices, has_campaigns FROM (
                SELECT a.id,
                    CASE WHEN EXISTS (SELECT 1 FROM devices d WHERE d.app_id = a.id) THEN 1 ELSE 0 END AS has_devices,
                    CASE WHEN EXISTS (SELECT 1 FROM campaigns c WHERE c.app_id = a.id) THEN 1 ELSE 0 END
                        AS has_campaigns
                FROM apps a
                WHERE NOT EXISTS (SELECT 1 FROM push_keys k WHERE k.app_id = a.id)
            ) AS keyless
            WHERE has_devices + has_campaigns > 0 ORDER BY id LIMIT $1
            """,
            ServerExamination.limit,
            as: (AppID, Bool, Bool).self
        ).map { ServerExamination.AppWithoutPushKey(app: $0, hasDevices: $1, hasCampaigns: $2) }
    }

    /// By the index of Campaigns with an alarm.
    fileprivate func haltedCampaigns() throws -> [ServerExamination.HaltedCampaign] {
        try connection.all(
            """
            SELECT app_id, id, alarm FROM campaigns WHERE alarm IS NOT NULL AND state = 'paused' AND kind = 0
            ORDER BY app_id, id LIMIT $1
            """,
            ServerExamination.limit,
            as: (AppID, CampaignID, String).self
        ).map { ServerExamination.HaltedCampaign(app: $0, campaign: $1, alarm: $2) }
    }

    fileprivate func failingWebhooks() throws -> [ServerExamination.FailingWebhook] {
        try connection.all(
            """
            SELECT \(FailingWebhookColumn.list) FROM webhooks
            WHERE (is_active = 0 AND alarm IS NOT NULL) OR failing_since IS NOT NULL ORDER BY app_id, id LIMIT $1
            """,
            ServerExamination.limit
        ) { (row: SQLRow<FailingWebhookColumn>) in
            ServerExamination.FailingWebhook(
                app: try row[.appID],
                webhook: WebhookID(rawValue: try row[.id]),
                isActive: try row[.isActive],
                alarm: try row[.alarm],
                failingSince: try row[.failingSince]
            )
        }
    }

    /// The newest time of what is written often enough, each by an index.
    fileprivate func newestRecord() throws -> Timestamp? {
        let campaign = try connection.first("SELECT id FROM campaigns ORDER BY id DESC LIMIT 1", as: CampaignID.self)
        let app = try connection.first("SELECT id FROM apps ORDER BY id DESC LIMIT 1", as: AppID.self)
        let times: [Int64?] = [
            campaign?.milliseconds, app?.milliseconds,
            try connection.first("SELECT at FROM audit_log ORDER BY id DESC LIMIT 1", as: Int64.self),
            try lastHeartbeat()?.rawValue,
            try connection.first("SELECT MAX(applied_at) FROM schema_migrations", as: Int64?.self) ?? nil,
        ]
        return times.compactMap(\.self).max().map(Timestamp.init(rawValue:))
    }

    fileprivate func lastHeartbeat() throws -> Timestamp? {
        try connection.first(
            "SELECT seen_at FROM dispatcher_sessions ORDER BY seen_at DESC LIMIT 1",
            as: Timestamp.self
        )
    }

    fileprivate func clock() throws -> Timestamp? {
        guard connection.dialect == .postgreSQL else { return nil }
        return try connection.first(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
            as: Timestamp.self
        )
    }
}
