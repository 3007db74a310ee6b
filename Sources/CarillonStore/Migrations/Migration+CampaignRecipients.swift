import CarillonSQL

extension Migration {
    /// What the texts of a Campaign say to single Users; `texts` is a JSON object of texts by name.
    ///
    /// An erasure finds a User's rows by the index, a dispatcher finds those of a Campaign by the key.
    static let campaignRecipients = Migration(name: "0046 campaign recipients") { dialect in
        """
        CREATE TABLE campaign_recipients (
            app_id BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            texts TEXT NOT NULL,
            PRIMARY KEY (app_id, campaign_id, user_id)
        ) \(dialect.clustered);
        CREATE INDEX campaign_recipients_by_user ON campaign_recipients (app_id, user_id);

        """ + (dialect == .postgreSQL ? estimate : "")
    }

    /// As in the step of estimates: an App may have all rows.
    private static let estimate = "ALTER TABLE campaign_recipients ALTER COLUMN app_id SET (n_distinct = 1);\n"
}
