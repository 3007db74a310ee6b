import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What waits to be told to webhooks, in SQL.
struct WebhookOutboxRepository: WebhookOutbox {
    /// How many rows a message has at most.
    fileprivate static let rowLimit = 500
    /// How many messages are under way at once while attempts fail.
    fileprivate static let pendingLimit = 8
    /// How many things a message tells, unless one row is more by itself.
    private static let itemLimit = 1_000

    let database: any Database

    func dueWebhooks(at now: Timestamp, limit: Int) async throws(StoreError) -> [WebhookID] {
        try await database.read { connection throws(StoreError) in
            try connection.all(
                """
                SELECT w.id FROM webhooks w
                WHERE w.is_active = 1 AND w.resume_at <= $1 AND w.lease_until <= $1
                    AND (EXISTS (SELECT 1 FROM webhook_messages m WHERE m.app_id = w.app_id AND m.webhook_id = w.id
                            AND m.is_dead = 0 AND m.due_at <= $1)
                        OR EXISTS (SELECT 1 FROM webhook_outbox o WHERE o.app_id = w.app_id AND o.webhook_id = w.id
                            AND o.message_id IS NULL))
                ORDER BY w.lease_until, w.id LIMIT $2
                """,
                now,
                limit
            ) { WebhookID(rawValue: $0.int64(0)) }
        }
    }

    func claim(
        _ id: WebhookID,
        as new: WebhookMessageID,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> WebhookWork? {
        let claimed = try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.claim(id, as: new, at: now, until: end)
        }
        guard var work = claimed else { return nil }
        // Apart from the write, which has to be short. Should it fail, the lease runs out.
        let (app, message) = (work.webhook.webhook.app, work.message.id)
        work.items = try await database.read { connection throws(StoreError) in
            try connection.webhookItems(try connection.outboxRows(of: message, webhook: id, app: app), app: app)
        }
        return work
    }

    func settle(
        _ work: WebhookWork,
        _ settlement: WebhookSettlement,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await database.write(priority: .bulk) { connection throws(StoreError) in
            try connection.settle(work, settlement, at: now)
        }
    }

    fileprivate static func cut(_ rows: [(at: Int64, id: Int64, count: Int)]) -> ArraySlice<(Int64, Int64)> {
        var sum = 0
        var end = 0
        for row in rows {
            guard end == 0 || sum + row.count <= itemLimit else { break }
            sum += row.count
            end += 1
        }
        return rows.map { ($0.at, $0.id) }[..<end]
    }
}

extension SQLConnection {
    fileprivate func outboxRows(
        of message: WebhookMessageID,
        webhook: WebhookID,
        app: AppID
    ) throws(StoreError) -> [OutboxRow] {
        try all(
            """
            SELECT kind, occurrence_id, devices, event_kind, action, at FROM webhook_outbox
            WHERE app_id = $1 AND webhook_id = $2 AND message_id = $3 ORDER BY at, id
            """,
            app,
            webhook,
            message
        ) { row throws(StoreError) in
            guard let kind = OutboxKind(rawValue: row.int64(0)) else {
                throw .failed("What waits for a webhook is not known.")
            }
            return OutboxRow(
                kind: kind,
                occurrence: OccurrenceID(rawValue: row.int64(1)),
                devices: row.array(2),
                eventKind: row.int64(3),
                action: row.string(4),
                at: Timestamp(rawValue: row.int64(5))
            )
        }
    }

    fileprivate func claim(
        _ id: WebhookID,
        as new: WebhookMessageID,
        at now: Timestamp,
        until end: Timestamp
    ) throws(StoreError) -> WebhookWork? {
        // The row is locked by this, so that what follows is one node's alone.
        let changed = try run(
            """
            UPDATE webhooks SET lease_until = $1, fence = fence + 1
            WHERE id = $2 AND is_active = 1 AND resume_at <= $3 AND lease_until <= $3
            """,
            end,
            id,
            now
        )
        guard changed > 0, let webhook = try webhook(id, within: nil) else { return nil }
        let app = webhook.webhook.app
        let fence = try first("SELECT fence FROM webhooks WHERE app_id = $1 AND id = $2", app, id) { $0.int64(0) }
        guard let message = try nextMessage(of: webhook.webhook, as: new, at: now) else {
            try run("UPDATE webhooks SET lease_until = $1 WHERE app_id = $2 AND id = $3", now, app, id)
            return nil
        }
        return WebhookWork(webhook: webhook, message: message, items: [], fence: fence ?? 0)
    }

    /// The message that is due, or a new one.
    ///
    /// While attempts fail, a new one goes first, up to a few of them: so a message that is never taken is told from an
    /// address that takes none, and holds up no others.
    private func nextMessage(
        of webhook: Webhook,
        as new: WebhookMessageID,
        at now: Timestamp
    ) throws(StoreError) -> WebhookMessage? {
        let pending =
            try first(
                "SELECT count(*) FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2 AND is_dead = 0",
                webhook.app,
                webhook.id
            ) { $0.int(0) } ?? 0
        if webhook.failures > 0, pending < WebhookOutboxRepository.pendingLimit,
            let message = try makeMessage(for: webhook, as: new, at: now)
        {
            return message
        }
        let due = try first(
            """
            SELECT id, is_dead, attempts, created_at, due_at, last_status, last_error FROM webhook_messages
            WHERE app_id = $1 AND webhook_id = $2 AND is_dead = 0 AND due_at <= $3
            ORDER BY attempts, due_at, id LIMIT 1
            """,
            webhook.app,
            webhook.id,
            now,
            read: WebhookMessage.read
        )
        if let due { return due }
        guard pending < WebhookOutboxRepository.pendingLimit else { return nil }
        return try makeMessage(for: webhook, as: new, at: now)
    }

    private func makeMessage(
        for webhook: Webhook,
        as id: WebhookMessageID,
        at now: Timestamp
    ) throws(StoreError) -> WebhookMessage? {
        let waiting = try all(
            """
            SELECT at, id, count FROM webhook_outbox
            WHERE app_id = $1 AND webhook_id = $2 AND message_id IS NULL ORDER BY at, id LIMIT $3
            """,
            webhook.app,
            webhook.id,
            WebhookOutboxRepository.rowLimit
        ) { row in (at: row.int64(0), id: row.int64(1), count: row.int(2)) }
        guard !waiting.isEmpty else { return nil }
        try run(
            """
            INSERT INTO webhook_messages (app_id, webhook_id, id, is_dead, attempts, created_at, due_at)
            VALUES ($1, $2, $3, 0, 0, $4, $4)
            """,
            webhook.app,
            webhook.id,
            id,
            now
        )
        for (at, row) in WebhookOutboxRepository.cut(waiting) {
            try run(
                """
                UPDATE webhook_outbox SET message_id = $1
                WHERE app_id = $2 AND webhook_id = $3 AND at = $4 AND id = $5
                """,
                id,
                webhook.app,
                webhook.id,
                at,
                row
            )
        }
        var message = WebhookMessage(id: id, state: .pending, attempts: 0, createdAt: now)
        message.nextAttemptAt = now
        return message
    }
}
