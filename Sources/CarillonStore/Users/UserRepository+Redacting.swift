import CarillonEngine
import CarillonModel
import CarillonOperatorModel
package import CarillonSQL

/// The statements that find Campaigns by whom they name.
///
/// A window of Campaigns that name people is looked through by text; what is found is read and compared.
package enum RedactionSQL {
    /// How many Campaigns are in a window, and the last of them.
    static let window: SQL = """
        SELECT COUNT(*), MAX(id) FROM (
            SELECT id FROM campaigns WHERE app_id = $1 AND names_people = 1 AND id > $2 ORDER BY id LIMIT $3) AS w
        """
    static let naming: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT c.id FROM (
            SELECT id FROM campaigns WHERE app_id = $1 AND names_people = 1 AND id > $2 ORDER BY id LIMIT $3) AS w
        CROSS JOIN campaigns c ON c.app_id = $1 AND c.id = w.id
        WHERE (c.audience LIKE '{"rule"%' OR EXISTS (
            SELECT 1 FROM json_each($4) n
            WHERE instr(c.audience, n.value) > 0 OR (c.kind = 1 AND instr(c.message, n.value) > 0)))
        ORDER BY c.id LIMIT $3
        """,
        """
        SELECT c.id FROM (
            SELECT id FROM campaigns WHERE app_id = $1 AND names_people = 1 AND id > $2 ORDER BY id LIMIT $3) AS w
        CROSS JOIN LATERAL (SELECT * FROM campaigns x WHERE x.app_id = $1 AND x.id = w.id LIMIT 1) AS c
        WHERE (c.audience LIKE '{"rule"%' OR EXISTS (
            SELECT 1 FROM unnest(CAST(CAST($4 AS TEXT) AS TEXT[])) AS n (value)
            WHERE strpos(c.audience, n.value) > 0 OR (c.kind = 1 AND strpos(c.message, n.value) > 0)))
        ORDER BY c.id LIMIT $3
        """
    )
    static let devices: SQL = """
        SELECT public_id FROM devices WHERE app_id = $1 AND user_id = $2
        UNION SELECT public_id FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        UNION SELECT public_id FROM deleted_devices WHERE app_id = $1 AND user_id = $2
        LIMIT 10000
        """

    /// All that read, on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [window, naming.sqlite, devices]
}

/// A Campaign as far as it may say something of a person.
struct NamingCampaign {
    var kind: CampaignKind
    /// The column, to see whether somebody changed it meanwhile.
    var audienceText: String
    var campaign: Campaign

    /// What stays of its Audience without a person; `nil` when it does not name them.
    func audience(without user: UserID, _ devices: Set<DeviceID>) -> Audience? {
        let rest = campaign.audience.redacting(user, devices)
        if kind == .userMessage {
            let isFrom = campaign.message.data["from"] == .string(user.rawValue)
            return rest != campaign.audience || isFrom ? .redacted : nil
        }
        return rest == campaign.audience ? nil : rest
    }

    /// The Campaign as it is shown with what stays of its Audience.
    func shown(for audience: Audience) -> Campaign {
        var shown = campaign
        shown.audience = audience
        guard audience == .redacted else { return shown }
        shown.message = .redacted
        (shown.name, shown.template, shown.adWording, shown.variants, shown.holdout) = (nil, nil, nil, nil, nil)
        return shown
    }
}

extension UserRepository {
    /// How many Campaigns are looked through in one read.
    private static let windowSize = 200
    /// How many of these reads tell whether a User is named anywhere.
    private static let windowLimit = 20

    func isNamed(_ user: UserID, app: AppID) async throws(StoreError) -> Bool {
        let devices = try await devices(of: user, app: app)
        if try await !savedAudiences(naming: user, devices, app: app).isEmpty { return true }
        var last: CampaignID?
        for _ in 0..<Self.windowLimit {
            let window = try await campaigns(naming: user, devices, app: app, after: last)
            for id in window.found {
                guard let campaign = try await namingCampaign(id, app: app) else { continue }
                if campaign.audience(without: user, devices) != nil { return true }
            }
            last = window.last
            if last == nil { return false }
        }
        // Nobody waits for all of them: the erasure, or the export, looks through the rest.
        return true
    }

    func redactCampaigns(
        for erasure: PendingErasure,
        after campaign: CampaignID?,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignID? {
        let (user, app) = (erasure.user, erasure.app)
        let devices = try await devices(of: user, app: app)
        if campaign == nil { try await redactSavedAudiences(naming: user, devices, app: app) }
        let window = try await campaigns(naming: user, devices, app: app, after: campaign)
        for id in window.found {
            // Somebody may change it meanwhile: then it is looked at again.
            while try await !redact(id, app: app, of: user, devices, at: now) {}
        }
        _ = try await database.write(priority: .bulk) { connection in
            try connection.run(
                """
                UPDATE user_erasures SET after_campaign = $1 WHERE app_id = $2 AND user_id = $3 AND requested_at = $4
                """,
                window.last?.rawValue ?? .max,
                app,
                user,
                erasure.requestedAt
            )
        }
        return window.last
    }

    // MARK: - Reading

    func devices(of user: UserID, app: AppID) async throws(StoreError) -> Set<DeviceID> {
        let found = try await database.read { connection in
            try connection.all(RedactionSQL.devices, app, user, as: DeviceID.self)
        }
        return Set(found)
    }

    /// The Campaigns of a window that may name a person, and the last one that was looked at; `nil` at the end.
    func campaigns(
        naming user: UserID,
        _ devices: Set<DeviceID>,
        app: AppID,
        after campaign: CampaignID?
    ) async throws(StoreError) -> (found: [CampaignID], last: CampaignID?) {
        let after = campaign ?? CampaignID(rawValue: -1)
        let needles = try Self.needles(user, devices)
        return try await database.read { connection in
            let sql = RedactionSQL.window
            let window = try connection.first(sql, app, after, Self.windowSize, as: (Int, CampaignID?).self)
            guard let (count, last) = window, count > 0 else { return ([], nil) }
            let dialect = connection.dialect
            let found = try connection.all(
                dialect.pick(sqlite: RedactionSQL.naming.sqlite, postgreSQL: RedactionSQL.naming.postgreSQL),
                app,
                after,
                Self.windowSize,
                SQLList(texts: needles, dialect),
                as: CampaignID.self
            )
            return (found, count < Self.windowSize ? nil : last)
        }
    }

    /// Ids as they stand in JSON.
    private static func needles(_ user: UserID, _ devices: Set<DeviceID>) throws(StoreError) -> [String] {
        var needles = [try JSONColumn(user).text]
        for device in devices { needles.append(try JSONColumn(device).text) }
        return needles
    }

    func namingCampaign(_ id: CampaignID, app: AppID) async throws(StoreError) -> NamingCampaign? {
        try await database.read { connection in
            guard let campaign = try connection.campaigns.campaign(id, within: app) else { return nil }
            let sql: SQL = "SELECT kind, audience FROM campaigns WHERE app_id = $1 AND id = $2"
            guard let (kind, text) = try connection.first(sql, app, id, as: (Int64, String).self) else { return nil }
            let known = CampaignKind(rawValue: kind) ?? .campaign
            return NamingCampaign(kind: known, audienceText: text, campaign: campaign)
        }
    }

    // MARK: - Private

    /// Takes a person out of a Campaign.
    ///
    /// - Returns: False when somebody changed it meanwhile.
    private func redact(
        _ id: CampaignID,
        app: AppID,
        of user: UserID,
        _ devices: Set<DeviceID>,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        guard let campaign = try await namingCampaign(id, app: app),
            let rest = campaign.audience(without: user, devices)
        else { return true }
        // A list may have ten thousand ids: it is written as JSON before anybody waits for the transaction.
        let text = try JSONColumn(rest).text
        let answer = Array(try JSONColumn(campaign.shown(for: rest)).text.utf8)
        return try await database.write(priority: .bulk) { connection in
            try connection.lock(.campaign(id))
            guard rest == .redacted else {
                try connection.users.setAnswers(answer, to: id)
                return try connection.users.setAudience(text, of: id, app: app, insteadOf: campaign.audienceText)
            }
            guard try connection.users.redact(id, app: app, insteadOf: campaign.audienceText) else { return false }
            try connection.recipients.discardList(of: id, app: app)
            if let changed = try connection.campaigns.campaign(id, within: app) {
                try connection.campaigns.cancel(changed, at: now)
            }
            // The other one's inbox would show that there was something.
            if campaign.kind == .userMessage { try connection.retention.dropInboxRows(of: campaign.campaign) }
            try connection.users.setAnswers(answer, to: id)
            return true
        }
    }

    // MARK: Saved Audiences

    func savedAudiences(
        naming user: UserID,
        _ devices: Set<DeviceID>,
        app: AppID
    ) async throws(StoreError) -> [(id: Int64, text: String, rest: AudienceRule)] {
        let rules = try await database.read { connection in
            try connection.all(
                "SELECT id, rule FROM audiences WHERE app_id = $1 AND (rule LIKE '%user%' OR rule LIKE '%device%')",
                app,
                as: (Int64, String).self
            )
        }
        return rules.compactMap { id, text in
            guard let rule = try? AudienceRule(text: text) else { return nil }
            let rest = rule.redacting(user, devices)
            return rest == rule ? nil : (id, text, rest)
        }
    }

    private func redactSavedAudiences(
        naming user: UserID,
        _ devices: Set<DeviceID>,
        app: AppID
    ) async throws(StoreError) {
        for saved in try await savedAudiences(naming: user, devices, app: app) {
            _ = try await database.write(priority: .bulk) { connection in
                try connection.run(
                    "UPDATE audiences SET rule = $1 WHERE app_id = $2 AND id = $3 AND rule = $4",
                    saved.rest.text,
                    app,
                    saved.id,
                    saved.text
                )
            }
        }
    }
}

extension UserTable {
    /// Takes the list of a Campaign away, with all that it says to a person.
    ///
    /// - Returns: False when its Audience is not what it was.
    fileprivate func redact(
        _ id: CampaignID,
        app: AppID,
        insteadOf audience: String
    ) throws -> Bool {
        try connection.run(
            """
            UPDATE campaigns SET audience = $1, message = $2, name = NULL, content = NULL, names_people = 0
            WHERE app_id = $3 AND id = $4 AND audience = $5
            """,
            try JSONColumn(Audience.redacted).text,
            try JSONColumn(Message.redacted).text,
            app,
            id,
            audience
        ) > 0
    }

    fileprivate func setAudience(
        _ audience: String,
        of id: CampaignID,
        app: AppID,
        insteadOf before: String
    ) throws -> Bool {
        try connection.run(
            "UPDATE campaigns SET audience = $1 WHERE app_id = $2 AND id = $3 AND audience = $4",
            audience,
            app,
            id,
            before
        ) > 0
    }

    /// Has a repeated request for a Campaign answered with the Campaign as it is, instead of as it was made.
    fileprivate func setAnswers(_ answer: [UInt8], to campaign: CampaignID) throws {
        try connection.run(
            "UPDATE idempotency_keys SET body = $1 WHERE location = $2",
            answer,
            "/v1/campaigns/\(campaign)"
        )
    }
}
