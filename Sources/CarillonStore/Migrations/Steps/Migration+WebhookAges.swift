import CarillonSQL

extension Migration {
    /// The age of what waits for webhooks, and the Occurrences of a Campaign that are not over.
    ///
    /// An event's `at` is the phone's time, which may be days ago; `noted_at` is when a row began to wait, 0 for one of an
    /// earlier version.
    static let webhookAges = Migration(name: "0004 webhook ages") { _ in
        """
        ALTER TABLE webhook_outbox ADD COLUMN noted_at BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX webhook_messages_pending ON webhook_messages (app_id, webhook_id, created_at) WHERE is_dead = 0;
        CREATE INDEX occurrences_open ON occurrences (app_id, campaign_id)
            WHERE state IN ('sending', 'paused', 'cancelling');

        """
    }
}
