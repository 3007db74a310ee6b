import CarillonEngine
import CarillonModel
import CarillonSQL

private enum BacklogColumn: Int, SQLColumn { case dead, disabled, waitingSince }

extension WebhookRepository {
    /// Of each webhook only the rows of its next message are looked at: rows lie in the order of their events, and a phone
    /// may report one late, but those that wait for long are among the first.
    func backlog() async throws(StoreError) -> WebhookBacklog {
        try await database.read { connection in
            try connection.first(
                """
                SELECT
                    (SELECT count(*) FROM (SELECT 1 FROM webhook_messages WHERE is_dead = 1 LIMIT $1) AS dead),
                    (SELECT count(*) FROM (SELECT 1 FROM webhooks WHERE alarm IS NOT NULL LIMIT $1) AS disabled),
                    (SELECT MIN(CASE WHEN waiting IS NULL OR pending < waiting THEN pending ELSE waiting END) FROM (
                        SELECT
                            (SELECT MIN(m.created_at) FROM webhook_messages m
                                WHERE m.app_id = w.app_id AND m.webhook_id = w.id AND m.is_dead = 0) AS pending,
                            (SELECT MIN(x.noted_at) FROM (
                                SELECT o.noted_at FROM webhook_outbox o
                                WHERE o.app_id = w.app_id AND o.webhook_id = w.id AND o.message_id IS NULL
                                ORDER BY o.at, o.id LIMIT 20) AS x WHERE x.noted_at > 0) AS waiting
                        FROM webhooks w WHERE w.is_active = 1
                    ) AS ages)
                """,
                WebhookBacklog.maximumCount
            ) { (row: SQLRow<BacklogColumn>) in
                var backlog = WebhookBacklog()
                backlog.dead = try row[.dead]
                backlog.disabled = try row[.disabled]
                backlog.waitingSince = try row[.waitingSince]
                return backlog
            } ?? WebhookBacklog()
        }
    }
}
