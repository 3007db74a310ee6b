import CarillonEngine
import CarillonModel

/// Old messages of webhooks, and what nobody took.
extension SQLConnection {
    /// A dead message goes with what it tells.
    func dropWebhookMessages(
        _ app: AppID,
        _ time: Timestamp,
        _ limit: Int
    ) throws(StoreError) -> RetentionCursor? {
        let old = try all(
            """
            SELECT webhook_id, id FROM webhook_messages WHERE app_id = $1 AND created_at < $2
            ORDER BY webhook_id, id LIMIT $3
            """,
            app,
            time,
            max(1, limit / 500)
        ) { ($0.int64(0), $0.int64(1)) }
        for (webhook, message) in old {
            try run(
                "DELETE FROM webhook_outbox WHERE app_id = $1 AND webhook_id = $2 AND message_id = $3",
                app,
                webhook,
                message
            )
            try run(
                "DELETE FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2 AND id = $3",
                app,
                webhook,
                message
            )
        }
        return old.isEmpty ? nil : .start
    }

    func dropWebhookOutbox(_ app: AppID, _ time: Timestamp, _ limit: Int) throws(StoreError) -> RetentionCursor? {
        let old = try all(
            """
            SELECT o.webhook_id, o.at, o.id FROM webhooks w
            JOIN webhook_outbox o ON o.app_id = w.app_id AND o.webhook_id = w.id
            WHERE w.app_id = $1 AND o.at < $2 AND o.message_id IS NULL LIMIT $3
            """,
            app,
            time,
            limit
        ) { ($0.int64(0), $0.int64(1), $0.int64(2)) }
        for (webhook, at, id) in old {
            try send(
                "DELETE FROM webhook_outbox WHERE app_id = $1 AND webhook_id = $2 AND at = $3 AND id = $4",
                app,
                webhook,
                at,
                id
            )
        }
        return old.isEmpty ? nil : .start
    }
}
