package import CarillonEngine
package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL

/// The statements of a Campaign's recipients; each finds its rows by a key.
package enum RecipientSQL {
    /// All rows of a part in one statement: a thousand round trips would take a transaction's whole time.
    static let insert: (sqlite: SQL, postgreSQL: SQL) = (
        """
        INSERT INTO campaign_recipients (app_id, campaign_id, user_id, texts)
        SELECT $1, $2, json_extract(n.value, '$[0]'), json_extract(n.value, '$[1]') FROM json_each($3) n
        """,
        """
        INSERT INTO campaign_recipients (app_id, campaign_id, user_id, texts)
        SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), n.user_id, n.texts
        FROM unnest(CAST(CAST($3 AS TEXT) AS TEXT[]), CAST(CAST($4 AS TEXT) AS TEXT[])) AS n (user_id, texts)
        """
    )
    static let delete: SQL = "DELETE FROM campaign_recipients WHERE app_id = $1 AND campaign_id = $2"
    static let deleteThrough: SQL = """
        DELETE FROM campaign_recipients WHERE app_id = $1 AND campaign_id = $2 AND user_id <= $3
        """
    static let lastOfPart: SQL = """
        SELECT user_id FROM campaign_recipients WHERE app_id = $1 AND campaign_id = $2
        ORDER BY user_id LIMIT 1 OFFSET $3
        """
    static let ofList: SQL = """
        SELECT user_id, texts FROM campaign_recipients WHERE app_id = $1 AND campaign_id = $2 AND user_id > $3
        ORDER BY user_id LIMIT $4
        """
    static let ofDevices: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT d.number, r.texts
        FROM json_each($1) n CROSS JOIN devices d ON d.app_id = $2 AND d.number = n.value
        CROSS JOIN campaign_recipients r ON r.app_id = $2 AND r.campaign_id = $3 AND r.user_id = d.user_id
        """,
        """
        SELECT d.number, r.texts
        FROM json_array_elements_text(CAST($1 AS json)) n
        CROSS JOIN LATERAL (
            SELECT x.number, x.user_id FROM devices x WHERE x.app_id = $2 AND x.number = CAST(n.value AS BIGINT)
            LIMIT 1) d
        CROSS JOIN LATERAL (
            SELECT y.texts FROM campaign_recipients y
            WHERE y.app_id = $2 AND y.campaign_id = $3 AND y.user_id = d.user_id LIMIT 1) r
        """
    )
    static let ofCampaigns: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT q.id, r.texts
        FROM devices d CROSS JOIN json_each($1) c CROSS JOIN campaigns q ON q.app_id = $2 AND q.id = c.value
        CROSS JOIN campaign_recipients r ON r.app_id = $2 AND r.campaign_id = COALESCE(q.recipients_id, q.id)
            AND r.user_id = d.user_id
        WHERE d.app_id = $2 AND d.number = $3
        """,
        """
        SELECT q.id, r.texts
        FROM json_array_elements_text(CAST($1 AS json)) c
        CROSS JOIN LATERAL (
            SELECT x.user_id FROM devices x WHERE x.app_id = $2 AND x.number = $3 LIMIT 1) d
        CROSS JOIN LATERAL (
            SELECT z.id, COALESCE(z.recipients_id, z.id) AS list_id FROM campaigns z
            WHERE z.app_id = $2 AND z.id = CAST(c.value AS BIGINT) LIMIT 1) q
        CROSS JOIN LATERAL (
            SELECT y.texts FROM campaign_recipients y
            WHERE y.app_id = $2 AND y.campaign_id = q.list_id AND y.user_id = d.user_id LIMIT 1) r
        """
    )
    /// A User's rows, but for those of lists that no Campaign has: the list, the Campaign, and the values.
    static let ofUser: SQL = """
        SELECT r.campaign_id, COALESCE((
            SELECT c.id FROM campaigns c WHERE c.app_id = $1 AND c.recipients_id = r.campaign_id LIMIT 1),
            r.campaign_id), r.texts
        FROM campaign_recipients r
        WHERE r.app_id = $1 AND r.user_id = $2 AND r.campaign_id > $3 AND NOT EXISTS (
            SELECT 1 FROM unused_recipient_lists u WHERE u.app_id = $1 AND u.list_id = r.campaign_id)
        ORDER BY r.campaign_id LIMIT $4
        """

    /// All that read, on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [lastOfPart, ofList, ofDevices.sqlite, ofCampaigns.sqlite, ofUser]
}

extension RecipientTable {
    /// The list of one of some Campaigns that has recipients; `nil` when none has.
    func listWithRecipients(among campaigns: [Int64], _ app: AppID) throws -> CampaignID? {
        var select = ComposedSQL()
        select.append("SELECT COALESCE(c.recipients_id, c.id) FROM campaigns c WHERE c.app_id = ")
        select.bind(.app)
        select.append(" AND c.id IN (")
        select.bind(list: campaigns.map { .integer($0) })
        select.append(
            """
            ) AND EXISTS (SELECT 1 FROM campaign_recipients r
                WHERE r.app_id = c.app_id AND r.campaign_id = COALESCE(c.recipients_id, c.id)) LIMIT 1
            """
        )
        let statement = try connection.prepare(select)
        defer { statement.reset() }
        select.bind(to: statement) { _ in app.rawValue }
        return try statement.next() ? try .read(statement, at: 0) : nil
    }

    /// Notes what a Campaign says to the Users of Devices alone.
    func readRecipientValues(
        _ values: inout PersonalValues,
        _ numbers: String,
        in campaign: CampaignID,
        app: AppID
    ) throws {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: RecipientSQL.ofDevices.sqlite,
                postgreSQL: RecipientSQL.ofDevices.postgreSQL
            ),
            numbers,
            app,
            try list(of: campaign, app: app),
            as: (DeviceNumber, JSONColumn<TemplateValues>).self
        )
        for (device, texts) in rows { values.set(texts.value, of: device) }
    }
}

extension CampaignRepository {
    package func recipients(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [CampaignRecipient] {
        var recipients: [CampaignRecipient] = []
        while true {
            let last = recipients.last?.user.rawValue ?? ""
            let rows = try await database.read { connection in
                try connection.all(
                    RecipientSQL.ofList,
                    app,
                    try connection.recipients.list(of: campaign, app: app),
                    last,
                    RecipientPart.maximumCount,
                    as: (UserID, JSONColumn<TemplateValues>).self
                )
            }
            recipients += rows.map { CampaignRecipient(user: $0, values: $1.value) }
            guard rows.count == RecipientPart.maximumCount else { return recipients }
        }
    }
}

extension InboxRepository {
    package func recipientValues(
        of campaigns: [CampaignID],
        for device: DeviceNumber,
        app: AppID
    ) async throws(StoreError) -> [CampaignID: TemplateValues] {
        let ids = "[" + campaigns.map { String($0.rawValue) }.joined(separator: ",") + "]"
        return try await database.read { connection in
            let rows = try connection.all(
                connection.dialect.pick(
                    sqlite: RecipientSQL.ofCampaigns.sqlite,
                    postgreSQL: RecipientSQL.ofCampaigns.postgreSQL
                ),
                ids,
                app,
                device,
                as: (CampaignID, JSONColumn<TemplateValues>).self
            )
            return rows.reduce(into: [:]) { $0[$1.0] = $1.1.value }
        }
    }
}
