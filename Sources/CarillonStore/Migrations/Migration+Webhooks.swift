import CarillonSQL

extension Migration {
    /// Webhooks, and what waits to be told to them.
    ///
    /// `webhook_outbox` has references, not contents: some of a commit's deliveries (`devices` has the numbers, sorted,
    /// as differences), an event, or the end of an Occurrence; `kind` says which. A row is in no message until one is
    /// put together. `topics` are bits of `WebhookTopics`.
    static let webhooks = Migration(name: "0011 webhooks") { dialect in
        """
        CREATE TABLE webhooks (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            url TEXT NOT NULL,
            topics BIGINT NOT NULL,
            is_active BIGINT NOT NULL,
            alarm TEXT,
            secret \(dialect.bytes) NOT NULL,
            former_secret \(dialect.bytes),
            former_until BIGINT,
            failures BIGINT NOT NULL,
            failing_since BIGINT,
            resume_at BIGINT NOT NULL,
            last_success_at BIGINT,
            created_at BIGINT NOT NULL,
            lease_until BIGINT NOT NULL,
            fence BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX webhooks_by_id ON webhooks (id);
        CREATE TABLE webhook_outbox (
            app_id BIGINT NOT NULL,
            webhook_id BIGINT NOT NULL,
            at BIGINT NOT NULL,
            id BIGINT NOT NULL,
            kind BIGINT NOT NULL,
            count BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            devices \(dialect.bytes) NOT NULL,
            event_kind BIGINT NOT NULL,
            action TEXT NOT NULL,
            message_id BIGINT,
            PRIMARY KEY (app_id, webhook_id, at, id)
        ) \(dialect.clustered);
        CREATE INDEX webhook_outbox_waiting ON webhook_outbox (app_id, webhook_id, at, id) WHERE message_id IS NULL;
        CREATE INDEX webhook_outbox_by_message ON webhook_outbox (app_id, webhook_id, message_id)
            WHERE message_id IS NOT NULL;
        CREATE TABLE webhook_messages (
            app_id BIGINT NOT NULL,
            webhook_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            is_dead BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            due_at BIGINT NOT NULL,
            last_status BIGINT,
            last_error TEXT,
            PRIMARY KEY (app_id, webhook_id, id)
        ) \(dialect.clustered);

        """
    }
}
