import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum DueWebhookColumn: Int, SQLColumn { case appID, id, fence, isHeld, failures }

/// What waits to be told to webhooks, in SQL.
struct WebhookOutboxRepository: WebhookOutbox {
    /// How many rows a message has at most.
    fileprivate static let rowLimit = 1_000
    /// How many messages are under way at once while attempts fail.
    fileprivate static let pendingLimit = 8
    /// How many things a message tells, unless one row is more by itself.
    fileprivate static let itemLimit = 1_000

    let database: any Database

    func dueWebhooks(at now: Timestamp, limit: Int) async throws(StoreError) -> [DueWebhook] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(DueWebhookColumn.list(of: "w")) FROM webhooks w
                WHERE w.is_active = 1 AND w.resume_at <= $1
                    AND (EXISTS (SELECT 1 FROM webhook_messages m WHERE m.app_id = w.app_id AND m.webhook_id = w.id
                            AND m.is_dead = 0 AND m.due_at <= $1)
                        OR EXISTS (SELECT 1 FROM webhook_outbox o WHERE o.app_id = w.app_id AND o.webhook_id = w.id
                            AND o.message_id IS NULL))
                ORDER BY w.is_held, w.told_at, w.id LIMIT $2
                """,
                now,
                limit
            ) { (row: SQLRow<DueWebhookColumn>) in
                DueWebhook(
                    app: try row[.appID],
                    id: try row[.id],
                    fence: try row[.fence],
                    isHeld: try row[.isHeld],
                    isFailing: try row[.failures] > 0
                )
            }
        }
    }

    func claim(
        _ due: DueWebhook,
        as new: WebhookMessageID,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookWork? {
        let claimed = try await database.write(priority: .bulk) { connection in
            try connection.webhooks.claim(due, as: new, at: now)
        }
        return try await withItems(claimed)
    }

    func complete(
        _ work: WebhookWork,
        _ completion: WebhookCompletion,
        next: WebhookMessageID?,
        at now: Timestamp
    ) async throws(StoreError) -> CompletedWebhook {
        var completed = try await database.write(priority: .bulk) { connection in
            guard try connection.webhooks.complete(work, completion, at: now) else {
                return CompletedWebhook(isKept: false)
            }
            guard let next else { return CompletedWebhook(isKept: true) }
            let webhook = work.webhook.webhook
            let due = DueWebhook(app: webhook.app, id: webhook.id, fence: work.fence, isHeld: false, isFailing: false)
            return CompletedWebhook(isKept: true, next: try connection.webhooks.claim(due, as: next, at: now))
        }
        completed.next = try await withItems(completed.next)
        return completed
    }

    /// Looks up what a message tells, apart from the write, which has to be short.
    ///
    /// Should it fail, the claim grows old.
    private func withItems(_ claimed: WebhookWork?) async throws(StoreError) -> WebhookWork? {
        guard var work = claimed else { return nil }
        let (app, id, message) = (work.webhook.webhook.app, work.webhook.webhook.id, work.message.id)
        work.items = try await database.read { connection in
            try connection.webhooks.webhookItems(
                try connection.webhooks.outboxRows(of: message, webhook: id, app: app),
                app: app
            )
        }
        return work
    }
}

extension WebhookTable {
    /// What a message tells of.
    fileprivate func outboxRows(
        of message: WebhookMessageID,
        webhook: WebhookID,
        app: AppID
    ) throws -> [OutboxRow] {
        try connection.all(
            """
            SELECT \(OutboxColumn.list(through: .at)) FROM webhook_outbox
            WHERE app_id = $1 AND webhook_id = $2 AND message_id = $3 ORDER BY at, id LIMIT $4
            """,
            app,
            webhook,
            message,
            // Rows that were committed between the two statements that put it together may be in it too.
            10 * WebhookOutboxRepository.rowLimit
        ) { (row: SQLRow<OutboxColumn>) in
            OutboxRow(
                kind: try row[.kind],
                occurrence: try row[.occurrenceID],
                devices: try row[.devices],
                eventKind: try row[.eventKind],
                action: try row[.action],
                at: try row[.at]
            )
        }
    }

    fileprivate func claim(
        _ due: DueWebhook,
        as new: WebhookMessageID,
        at now: Timestamp
    ) throws -> WebhookWork? {
        // The row is locked by this, so that what follows is one node's alone.
        let changed = try connection.run(
            """
            UPDATE webhooks SET is_held = 1, fence = fence + 1
            WHERE app_id = $1 AND id = $2 AND is_active = 1 AND resume_at <= $3 AND (is_held = 0 OR fence = $4)
            """,
            due.app,
            due.id,
            now,
            due.isHeld ? due.fence : -1
        )
        guard changed > 0, let webhook = try webhook(due.id, within: due.app) else { return nil }
        let fence = try connection.first(
            "SELECT fence FROM webhooks WHERE app_id = $1 AND id = $2",
            due.app,
            due.id,
            as: Int64.self
        )
        guard let message = try nextMessage(of: webhook.webhook, as: new, at: now) else {
            try connection.run(
                "UPDATE webhooks SET is_held = 0, told_at = $1 WHERE app_id = $2 AND id = $3",
                now,
                due.app,
                due.id
            )
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
    ) throws -> WebhookMessage? {
        let pending =
            try connection.first(
                "SELECT count(*) FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2 AND is_dead = 0",
                webhook.app,
                webhook.id,
                as: Int.self
            ) ?? 0
        if webhook.failures > 0, pending < WebhookOutboxRepository.pendingLimit,
            let message = try makeMessage(for: webhook, as: new, at: now)
        {
            return message
        }
        let due = try connection.first(
            """
            SELECT \(WebhookMessageColumn.list) FROM webhook_messages
            WHERE app_id = $1 AND webhook_id = $2 AND is_dead = 0 AND due_at <= $3
            ORDER BY attempts, due_at, id LIMIT 1
            """,
            webhook.app,
            webhook.id,
            now,
            read: WebhookMessage.init(row:)
        )
        if let due { return due }
        guard pending < WebhookOutboxRepository.pendingLimit else { return nil }
        return try makeMessage(for: webhook, as: new, at: now)
    }

    private func makeMessage(
        for webhook: Webhook,
        as id: WebhookMessageID,
        at now: Timestamp
    ) throws -> WebhookMessage? {
        guard let end = try endOfMessage(for: webhook) else { return nil }
        try connection.run(
            """
            INSERT INTO webhook_messages (app_id, webhook_id, id, is_dead, attempts, created_at, due_at)
            VALUES ($1, $2, $3, 0, 0, $4, $4)
            """,
            webhook.app,
            webhook.id,
            id,
            now
        )
        try connection.run(
            """
            UPDATE webhook_outbox SET message_id = $1
            WHERE app_id = $2 AND webhook_id = $3 AND message_id IS NULL AND (at, id) <= ($4, $5)
            """,
            id,
            webhook.app,
            webhook.id,
            end.at,
            end.id
        )
        var message = WebhookMessage(id: id, state: .pending, attempts: 0, createdAt: now)
        message.nextAttemptAt = now
        return message
    }

    /// Where a new message ends: as many of the oldest rows as it may have; `nil` when none waits.
    private func endOfMessage(for webhook: Webhook) throws -> (at: Timestamp, id: Int64)? {
        try connection.first(
            """
            SELECT at, id FROM (
                SELECT at, id, count, CAST(SUM(count) OVER (ORDER BY at, id) AS BIGINT) - count AS told_before FROM (
                    SELECT at, id, count FROM webhook_outbox
                    WHERE app_id = $1 AND webhook_id = $2 AND message_id IS NULL ORDER BY at, id LIMIT $3
                ) AS oldest
            ) AS sums
            WHERE told_before = 0 OR told_before + count <= $4 ORDER BY at DESC, id DESC LIMIT 1
            """,
            webhook.app,
            webhook.id,
            WebhookOutboxRepository.rowLimit,
            WebhookOutboxRepository.itemLimit,
            as: (Timestamp, Int64).self
        )
    }
}
