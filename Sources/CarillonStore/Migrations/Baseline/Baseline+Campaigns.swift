import CarillonSQL

/// Campaigns and the templates of their messages; their Occurrences are in ``occurrences``.
extension Baseline {
    var campaigns: [String] { [campaignTable, campaignIndexes, recipients, templates] }

    /// The next firing is worked out from `timing` (JSON: schedule, pace and rules) when the one before it begins;
    /// `next_at` is when it is due, `next_slot` and `next_part` name it.
    ///
    /// `audience` and `message` are JSON. `content` is JSON with the words for ads, variants, holdout and template, null
    /// when there are none of them. `retry_for` is in milliseconds. `channel` and `inbox` are codes, `kind` is one of
    /// `CampaignKind`. `names_people` is 1 where the audience has a list, or a rule with ids of Users or Devices.
    private var campaignTable: String {
        """
        CREATE TABLE campaigns (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name \(dialect.text),
            state \(dialect.text) NOT NULL,
            alarm \(dialect.text),
            audience \(dialect.text) NOT NULL,
            message \(dialect.text) NOT NULL,
            is_ad BIGINT NOT NULL,
            is_test BIGINT NOT NULL,
            send_at BIGINT,
            retry_for BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            occurrence_id BIGINT,
            started_at BIGINT,
            finished_at BIGINT,
            channel BIGINT NOT NULL DEFAULT 1,
            inbox BIGINT NOT NULL DEFAULT 0,
            timing \(dialect.text),
            next_at BIGINT,
            next_slot BIGINT,
            next_part BIGINT,
            accepted_at BIGINT,
            updated_at BIGINT,
            reached_nobody BIGINT NOT NULL DEFAULT 0,
            content \(dialect.text),
            statistics_id BIGINT,
            kind \(dialect.small) NOT NULL DEFAULT 0,
            names_people \(dialect.small) NOT NULL DEFAULT 0,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);

        """
    }

    /// An index on an id and the App finds an id's App without a look at the table.
    ///
    /// It does not say that no two Apps have the same id: ids have the millisecond and a place in it that each node chooses
    /// at random. Whoever asks by id alone is told when there are two.
    ///
    /// `campaigns_halted` counts Campaigns that the server paused. The two by kind are for lists, of an App and of all:
    /// thousands of messages between Users may lie between two Campaigns.
    private var campaignIndexes: String {
        """
        CREATE INDEX campaigns_due ON campaigns (next_at) WHERE next_at IS NOT NULL;
        CREATE UNIQUE INDEX campaigns_by_id_and_app ON campaigns (id, app_id);
        CREATE UNIQUE INDEX campaigns_halted ON campaigns (app_id, id) WHERE alarm IS NOT NULL AND state = 'paused';
        CREATE INDEX campaigns_naming_people ON campaigns (app_id, names_people, id) WHERE names_people = 1;
        CREATE INDEX campaigns_by_kind ON campaigns (app_id, kind, id);
        CREATE INDEX campaigns_by_kind_of_all ON campaigns (kind, id, app_id);

        """
    }

    /// What the texts of a Campaign say to single Users; `texts` is a JSON object of texts by name.
    ///
    /// An erasure finds a User's rows by the index, a dispatcher finds those of a Campaign by the key.
    private var recipients: String {
        """
        CREATE TABLE campaign_recipients (
            app_id BIGINT NOT NULL,
            campaign_id BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            texts \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, campaign_id, user_id)
        ) \(dialect.clustered);
        CREATE INDEX campaign_recipients_by_user ON campaign_recipients (app_id, user_id);

        """
    }

    /// `message` is JSON.
    private var templates: String {
        """
        CREATE TABLE templates (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            name \(dialect.text) NOT NULL,
            message \(dialect.text) NOT NULL,
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX templates_by_name ON templates (app_id, name);
        CREATE UNIQUE INDEX templates_by_id_and_app ON templates (id, app_id);

        """
    }
}
