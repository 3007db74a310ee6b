import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What becomes of a message that was sent.
extension WebhookTable {
    func complete(
        _ work: WebhookWork,
        _ completion: WebhookCompletion,
        at now: Timestamp
    ) throws -> Bool {
        let (app, id) = (work.webhook.webhook.app, work.webhook.webhook.id)
        guard
            try connection.run(
                "UPDATE webhooks SET is_held = 0, told_at = $1 WHERE app_id = $2 AND id = $3 AND fence = $4",
                now,
                app,
                id,
                work.fence
            ) > 0
        else { return false }
        if let attempt = work.attempt { try save(attempt, app, id) }
        switch completion {
        case .taken: try take(work, at: now)
        case .again(let resumeAt, let messageAt, let status, let error):
            try fail(work, isDead: false, dueAt: messageAt, status, error)
            try failed(work, resumeAt: resumeAt, alarm: nil, at: now)
        case .dead(let resumeAt, let status, let error):
            try fail(work, isDead: true, dueAt: now, status, error)
            try failed(work, resumeAt: resumeAt, alarm: nil, at: now)
        case .disabled(let alarm, let isDead, let status, let error):
            try fail(work, isDead: isDead, dueAt: now, status, error)
            try failed(work, resumeAt: now, alarm: alarm, at: now)
        }
        return true
    }

    /// Saves an attempt in the place of the oldest one.
    ///
    /// The webhook's row is locked.
    private func save(_ attempt: WebhookAttempt, _ app: AppID, _ id: WebhookID) throws {
        let known = try connection.first(
            """
            SELECT number FROM webhook_attempts WHERE app_id = $1 AND webhook_id = $2
            ORDER BY number DESC LIMIT 1
            """,
            app,
            id,
            as: Int64.self
        )
        let last = known ?? Int64(0)
        try connection.run(
            """
            INSERT INTO webhook_attempts (app_id, webhook_id, number, message_id, at, status, error, body, milliseconds)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            app,
            id,
            last + 1,
            attempt.message,
            attempt.at,
            attempt.status,
            attempt.error,
            attempt.body,
            attempt.milliseconds
        )
        try connection.run(
            "DELETE FROM webhook_attempts WHERE app_id = $1 AND webhook_id = $2 AND number <= $3",
            app,
            id,
            last + 1 - Int64(WebhookAttempt.limit)
        )
    }

    private func take(_ work: WebhookWork, at now: Timestamp) throws {
        let (app, id) = (work.webhook.webhook.app, work.webhook.webhook.id)
        try connection.run(
            """
            UPDATE webhooks SET failures = 0, failing_since = NULL, resume_at = 0, last_success_at = $1
            WHERE app_id = $2 AND id = $3
            """,
            now,
            app,
            id
        )
        try connection.run(
            "DELETE FROM webhook_outbox WHERE app_id = $1 AND webhook_id = $2 AND message_id = $3",
            app,
            id,
            work.message.id
        )
        try connection.run(
            "DELETE FROM webhook_messages WHERE app_id = $1 AND webhook_id = $2 AND id = $3",
            app,
            id,
            work.message.id
        )
    }

    private func fail(
        _ work: WebhookWork,
        isDead: Bool,
        dueAt: Timestamp,
        _ status: Int?,
        _ error: String?
    ) throws {
        try connection.run(
            """
            UPDATE webhook_messages SET attempts = attempts + 1, is_dead = $1, due_at = $2, last_status = $3,
                last_error = $4
            WHERE app_id = $5 AND webhook_id = $6 AND id = $7
            """,
            isDead,
            dueAt,
            status,
            error,
            work.webhook.webhook.app,
            work.webhook.webhook.id,
            work.message.id
        )
    }

    private func failed(
        _ work: WebhookWork,
        resumeAt: Timestamp,
        alarm: String?,
        at now: Timestamp
    ) throws {
        try connection.run(
            """
            UPDATE webhooks SET failures = failures + 1, failing_since = COALESCE(failing_since, $1), resume_at = $2,
                alarm = $3, is_active = $4
            WHERE app_id = $5 AND id = $6
            """,
            now,
            resumeAt,
            alarm,
            alarm == nil,
            work.webhook.webhook.app,
            work.webhook.webhook.id
        )
    }
}
