import CarillonSQL

/// Webhooks, and what waits to be told to them.
extension Baseline {
    var webhooks: [String] { [webhookTable, outbox, messages] }

    /// Webhooks are held without comparing clocks: `is_held` says that a claim has not ended; `fence` counts claims, and a
    /// node that sees it stand still for long takes the holder for dead.
    ///
    /// `told_at` gives the order in which webhooks are told. `topics` are bits of `WebhookTopics`.
    private var webhookTable: String {
        """
        CREATE TABLE webhooks (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            url \(dialect.text) NOT NULL,
            topics BIGINT NOT NULL,
            is_active BIGINT NOT NULL,
            alarm \(dialect.text),
            secret \(dialect.bytes) NOT NULL,
            former_secret \(dialect.bytes),
            former_until BIGINT,
            failures BIGINT NOT NULL,
            failing_since BIGINT,
            resume_at BIGINT NOT NULL,
            last_success_at BIGINT,
            created_at BIGINT NOT NULL,
            fence BIGINT NOT NULL,
            is_held BIGINT NOT NULL DEFAULT 0,
            told_at BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX webhooks_by_id_and_app ON webhooks (id, app_id);

        """
    }

    /// References, not contents: some of a commit's deliveries, an event, or the end of an Occurrence; `kind` says which.
    ///
    /// `devices` has the deliveries' numbers, sorted, as differences. A row is in no message until one is put together.
    private var outbox: String {
        """
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
            action \(dialect.text) NOT NULL,
            message_id BIGINT,
            PRIMARY KEY (app_id, webhook_id, at, id)
        ) \(dialect.clustered);
        CREATE INDEX webhook_outbox_waiting ON webhook_outbox (app_id, webhook_id, at, id) WHERE message_id IS NULL;
        CREATE INDEX webhook_outbox_by_message ON webhook_outbox (app_id, webhook_id, message_id)
            WHERE message_id IS NOT NULL;

        """
    }

    private var messages: String {
        """
        CREATE TABLE webhook_messages (
            app_id BIGINT NOT NULL,
            webhook_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            is_dead BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            due_at BIGINT NOT NULL,
            last_status BIGINT,
            last_error \(dialect.text),
            PRIMARY KEY (app_id, webhook_id, id)
        ) \(dialect.clustered);

        """
    }
}
