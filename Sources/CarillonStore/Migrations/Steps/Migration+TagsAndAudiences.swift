import CarillonSQL

extension Migration {
    /// Who created a tag, the last count of a saved Audience, and indexes for what uses either.
    ///
    /// `created_by` and `counted` are JSON. Only Campaigns that are not accepted name a saved Audience: others have its rule.
    static let tagsAndAudiences = Migration(name: "0022 tags and audiences") { dialect in
        """
        ALTER TABLE tags ADD COLUMN created_by \(dialect.text);
        ALTER TABLE audiences ADD COLUMN counted \(dialect.text);
        ALTER TABLE audiences ADD COLUMN counted_at BIGINT;
        CREATE INDEX campaigns_of_audiences ON campaigns (app_id, audience, id) WHERE substr(audience, 1, 8) = '{"saved"';
        CREATE INDEX campaigns_unfinished ON campaigns (app_id, id)
            WHERE kind = 0 AND state <> 'sent' AND state <> 'cancelled';
        """
    }
}
