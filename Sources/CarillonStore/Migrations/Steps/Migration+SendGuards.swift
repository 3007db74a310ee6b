import CarillonSQL

extension Migration {
    /// What guards a send: versions of drafts, requests for approval, holds, and limits of API keys.
    ///
    /// `campaigns.version` counts the changes. `campaigns.guards` is JSON: who wrote it, what a draft leaves open, the last
    /// request for approval and the one-time keys of forms. In the states `held` and `needsApproval`, `next_at` is when the
    /// state ends by itself. An API key's `sent_recipients` are of the hour that began at `sent_since`; keys from before have
    /// no limits.
    static let sendGuards = Migration(name: "0015 guards of sends") { dialect in
        """
        ALTER TABLE campaigns ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE campaigns ADD COLUMN guards \(dialect.text);
        CREATE INDEX campaigns_waiting ON campaigns (app_id, id) WHERE state = 'needsApproval';
        ALTER TABLE apps ADD COLUMN confirm_above BIGINT NOT NULL DEFAULT 1000;
        ALTER TABLE apps ADD COLUMN approve_above BIGINT NOT NULL DEFAULT 10000;
        ALTER TABLE apps ADD COLUMN hold_seconds BIGINT NOT NULL DEFAULT 60;
        ALTER TABLE apps ADD COLUMN guards_keys BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE api_keys ADD COLUMN recipients_per_campaign BIGINT;
        ALTER TABLE api_keys ADD COLUMN recipients_per_hour BIGINT;
        ALTER TABLE api_keys ADD COLUMN sent_recipients BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE api_keys ADD COLUMN sent_since BIGINT;
        """
    }
}
