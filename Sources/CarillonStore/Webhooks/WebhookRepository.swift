import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Webhooks in SQL.
struct WebhookRepository: WebhookStore {
    let database: any Database

    func insert(
        _ webhook: StoredWebhook,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool? {
        let shown = webhook.webhook
        return try await database.write { connection -> Bool? in
            try connection.idempotencyKeys.begin(request)
            try connection.lock(.app(shown.app))
            let app = try connection.first("SELECT id FROM apps WHERE id = $1", shown.app, as: AppID.self)
            guard app != nil else { return nil }
            let count = try connection.first("SELECT count(*) FROM webhooks WHERE app_id = $1", shown.app, as: Int.self)
            guard count ?? 0 < limit else { return false }
            try connection.run(
                """
                INSERT INTO webhooks (app_id, id, url, topics, is_active, secret, failures, resume_at, created_at,
                    fence)
                VALUES ($1, $2, $3, $4, 1, $5, 0, 0, $6, 0)
                """,
                shown.app,
                shown.id,
                shown.url,
                WebhookTopics(shown.topics).rawValue,
                webhook.sealedSecret,
                shown.createdAt
            )
            try connection.idempotencyKeys.complete(request, ())
            return true
        }
    }

    func webhook(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> StoredWebhook? {
        try await database.read { connection in try connection.webhooks.webhook(id, within: app) }
    }

    func webhooks(app: AppID?, after id: WebhookID?, limit: Int) async throws(StoreError) -> [Webhook] {
        try await database.read { connection in
            guard let app else {
                return try connection.all(
                    """
                    SELECT \(WebhookColumn.list) FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2
                    """,
                    id?.rawValue ?? -1,
                    limit
                ) { try StoredWebhook(row: $0).webhook }
            }
            return try connection.all(
                """
                SELECT \(WebhookColumn.list) FROM webhooks WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
                """,
                app,
                id?.rawValue ?? -1,
                limit
            ) { try StoredWebhook(row: $0).webhook }
        }
    }

    func update(_ id: WebhookID, within app: AppID?, _ change: WebhookUpdate) async throws(StoreError) -> Webhook? {
        try await database.write { connection in
            guard let before = try connection.webhooks.webhook(id, within: app)?.webhook else { return nil }
            try connection.run(
                "UPDATE webhooks SET url = $1, topics = $2 WHERE app_id = $3 AND id = $4",
                change.url ?? before.url,
                WebhookTopics(change.topics ?? before.topics).rawValue,
                before.app,
                id
            )
            if let state = change.state {
                try connection.run(
                    """
                    UPDATE webhooks SET is_active = $1, alarm = NULL, failures = 0, failing_since = NULL, resume_at = 0
                    WHERE app_id = $2 AND id = $3
                    """,
                    state == .active,
                    before.app,
                    id
                )
                try connection.run(
                    "UPDATE webhook_messages SET due_at = 0 WHERE app_id = $1 AND webhook_id = $2 AND is_dead = 0",
                    before.app,
                    id
                )
            }
            return try connection.webhooks.webhook(id, within: before.app)?.webhook
        }
    }

    func rotate(
        _ id: WebhookID,
        within app: AppID?,
        sealedSecret: [UInt8],
        formerUntil: Timestamp
    ) async throws(StoreError) -> Webhook? {
        try await database.write { connection in
            guard let before = try connection.webhooks.webhook(id, within: app)?.webhook else { return nil }
            try connection.run(
                """
                UPDATE webhooks SET former_secret = secret, former_until = $1, secret = $2
                WHERE app_id = $3 AND id = $4
                """,
                formerUntil,
                sealedSecret,
                before.app,
                id
            )
            return try connection.webhooks.webhook(id, within: before.app)?.webhook
        }
    }

    func delete(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard let webhook = try connection.webhooks.webhook(id, within: app)?.webhook else { return false }
            try connection.run(
                "DELETE FROM webhook_outbox WHERE app_id = $1 AND webhook_id = $2",
                webhook.app,
                id
            )
            try connection.run(
                "DELETE FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2",
                webhook.app,
                id
            )
            try connection.run(
                "DELETE FROM webhook_attempts WHERE app_id = $1 AND webhook_id = $2",
                webhook.app,
                id
            )
            try connection.run("DELETE FROM webhooks WHERE app_id = $1 AND id = $2", webhook.app, id)
            return true
        }
    }

    func messages(
        of webhook: Webhook,
        in state: WebhookMessage.State,
        after id: WebhookMessageID?,
        limit: Int
    ) async throws(StoreError) -> [WebhookMessage] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(WebhookMessageColumn.list) FROM webhook_messages
                WHERE app_id = $1 AND webhook_id = $2 AND id > $3 AND is_dead = $4 ORDER BY id LIMIT $5
                """,
                webhook.app,
                webhook.id,
                id?.rawValue ?? -1,
                state == .dead,
                limit,
                read: WebhookMessage.init(row:)
            )
        }
    }

    func attempts(of webhook: Webhook) async throws(StoreError) -> [WebhookAttempt] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT message_id, at, status, error, body, milliseconds FROM webhook_attempts
                WHERE app_id = $1 AND webhook_id = $2 ORDER BY number DESC LIMIT $3
                """,
                webhook.app,
                webhook.id,
                WebhookAttempt.limit,
                read: WebhookAttempt.init(row:)
            )
        }
    }

    func replay(
        _ id: WebhookMessageID,
        of webhook: Webhook,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookMessage? {
        try await database.write { connection in
            let changed = try connection.run(
                """
                UPDATE webhook_messages SET is_dead = 0, attempts = 0, created_at = $1, due_at = $1
                WHERE app_id = $2 AND webhook_id = $3 AND id = $4 AND is_dead = 1
                """,
                now,
                webhook.app,
                webhook.id,
                id
            )
            guard changed > 0 else { return nil }
            return try connection.first(
                """
                SELECT \(WebhookMessageColumn.list) FROM webhook_messages
                WHERE app_id = $1 AND webhook_id = $2 AND id = $3
                """,
                webhook.app,
                webhook.id,
                id,
                read: WebhookMessage.init(row:)
            )
        }
    }
}

extension WebhookTable {
    func webhook(_ id: WebhookID, within app: AppID?) throws -> StoredWebhook? {
        guard let app = try connection.apps.app(of: id, in: .webhooks, within: app) else { return nil }
        return try connection.first(
            """
            SELECT \(WebhookColumn.list) FROM webhooks WHERE app_id = $1 AND id = $2
            """,
            app,
            id,
            read: StoredWebhook.init(row:)
        )
    }
}

private enum WebhookColumn: Int, SQLColumn {
    case appID, id, url, topics, isActive, alarm, secret, formerSecret, formerUntil, failures, failingSince
    case lastSuccessAt, createdAt
}

extension StoredWebhook {
    fileprivate init(row: SQLRow<WebhookColumn>) throws {
        var webhook = Webhook(
            id: try row[.id],
            app: try row[.appID],
            url: try row[.url],
            topics: (try row[.topics] as WebhookTopics).topics,
            createdAt: try row[.createdAt]
        )
        webhook.state = try row[.isActive] ? .active : .disabled
        webhook.alarm = try row[.alarm]
        webhook.formerSecretUntil = try row[.formerUntil]
        webhook.failures = try row[.failures]
        webhook.lastSuccessAt = try row[.lastSuccessAt]
        self.init(
            webhook: webhook,
            sealedSecret: try row[.secret],
            sealedFormerSecret: try row[.formerSecret],
            failingSince: try row[.failingSince]
        )
    }
}

enum WebhookMessageColumn: Int, SQLColumn { case id, isDead, attempts, createdAt, dueAt, lastStatus, lastError }

extension WebhookMessage {
    init(row: SQLRow<WebhookMessageColumn>) throws {
        let isDead: Bool = try row[.isDead]
        self.init(
            id: try row[.id],
            state: isDead ? .dead : .pending,
            attempts: try row[.attempts],
            createdAt: try row[.createdAt]
        )
        nextAttemptAt = isDead ? nil : try row[.dueAt]
        lastStatus = try row[.lastStatus]
        lastError = try row[.lastError]
    }
}

private enum WebhookAttemptColumn: Int, SQLColumn { case messageID, at, status, error, body, milliseconds }

extension WebhookAttempt {
    fileprivate init(row: SQLRow<WebhookAttemptColumn>) throws {
        self.init(message: try row[.messageID], at: try row[.at], milliseconds: try row[.milliseconds])
        status = try row[.status]
        error = try row[.error]
        body = try row[.body]
    }
}
