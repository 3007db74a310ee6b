import CarillonSQL

extension Migration {
    /// Lists of recipients that are too long for one transaction.
    ///
    /// A long list is saved in parts before its Campaign, and deleted in parts after it. `unused_recipient_lists` names
    /// the lists that no Campaign has, not yet or no longer: `since` is when the list was begun, 0 when its rows are to be
    /// deleted. `campaigns.recipients_id` is the list that replaced the first one, under which a Campaign's rows are in
    /// `campaign_recipients`; null for the Campaign's own id.
    static let recipientLists = Migration(name: "0002 recipient lists") { dialect in
        """
        ALTER TABLE campaigns ADD COLUMN recipients_id BIGINT;
        CREATE INDEX campaigns_by_recipients ON campaigns (app_id, recipients_id) WHERE recipients_id IS NOT NULL;
        CREATE TABLE unused_recipient_lists (
            app_id BIGINT NOT NULL,
            list_id BIGINT NOT NULL,
            since BIGINT NOT NULL,
            PRIMARY KEY (app_id, list_id)
        ) \(dialect.clustered);
        CREATE INDEX unused_recipient_lists_by_time ON unused_recipient_lists (since);
        """
    }
}
