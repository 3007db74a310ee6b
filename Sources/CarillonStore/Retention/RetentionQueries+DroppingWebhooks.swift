import CarillonEngine
import CarillonModel
import CarillonSQL

/// Old messages of webhooks, and what nobody took.
extension RetentionQueries {
    /// A dead message goes with what it tells.
    func dropWebhookMessages(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        let old = try connection.all(
            """
            SELECT webhook_id, id FROM webhook_messages
            WHERE app_id = $1 AND (webhook_id, id) > ($2, $3) AND created_at < $4
            ORDER BY webhook_id, id LIMIT $5
            """,
            app,
            cursor.number,
            cursor.occurrence,
            time,
            max(1, limit / 500),
            as: (Int64, Int64).self
        )
        for (webhook, message) in old {
            try connection.send(
                "DELETE FROM webhook_outbox WHERE app_id = $1 AND webhook_id = $2 AND message_id = $3",
                app,
                webhook,
                message
            )
            try connection.send(
                "DELETE FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2 AND id = $3",
                app,
                webhook,
                message
            )
        }
        return old.last.map { RetentionCursor(number: $0, text: "", occurrence: $1) }
    }

    /// What waits for one webhook after another; the cursor is the webhook, the time and the row's number.
    func dropWebhookOutbox(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        let last = try connection.first(
            """
            SELECT at, id FROM webhook_outbox
            WHERE app_id = $1 AND webhook_id = $2 AND (at, id) > ($3, $4) AND at < $5 AND message_id IS NULL
            ORDER BY at, id LIMIT 1 OFFSET $6
            """,
            app,
            cursor.number,
            cursor.occurrence,
            cursor.part,
            time,
            limit - 1,
            as: (Int64, Int64).self
        )
        try connection.run(
            """
            DELETE FROM webhook_outbox
            WHERE app_id = $1 AND webhook_id = $2 AND (at, id) > ($3, $4) AND (at, id) <= ($5, $6) AND at < $7
                AND message_id IS NULL
            """,
            app,
            cursor.number,
            cursor.occurrence,
            cursor.part,
            last?.0 ?? time.rawValue,
            last?.1 ?? .max,
            time
        )
        if let last {
            return RetentionCursor(number: cursor.number, text: "", occurrence: last.0, part: last.1)
        }
        return try connection.first(
            "SELECT id FROM webhooks WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT 1",
            app,
            cursor.number,
            as: Int64.self
        ).map { RetentionCursor(number: $0, text: "", occurrence: -1) }
    }
}
