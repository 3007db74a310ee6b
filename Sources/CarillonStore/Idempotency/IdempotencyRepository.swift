import CarillonEngine
import CarillonModel

/// Idempotency keys in SQL.
struct IdempotencyRepository: IdempotencyStore {
    let database: any Database

    func begin(
        principal: String,
        key: String,
        fingerprint: [UInt8],
        now: Timestamp,
        forgetBefore: Timestamp
    ) async throws(StoreError) -> IdempotencyStart {
        try await database.write { connection throws(StoreError) in
            try connection.forgetIdempotencyKeys(before: forgetBefore)
            let isNew = try connection.run(
                """
                INSERT INTO idempotency_keys (principal, idempotency_key, fingerprint, started_at)
                VALUES ($1, $2, $3, $4)
                ON CONFLICT (principal, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint,
                    started_at = excluded.started_at, status = NULL, content_type = NULL, location = NULL, body = NULL
                WHERE idempotency_keys.started_at < $5
                """,
                principal,
                key,
                fingerprint,
                now,
                forgetBefore
            )
            return isNew > 0 ? .new : try connection.knownIdempotencyKey(principal, key, fingerprint)
        }
    }

    func finish(principal: String, key: String, answer: StoredAnswer) async throws(StoreError) {
        try await database.write { connection throws(StoreError) in
            _ = try connection.run(
                """
                UPDATE idempotency_keys SET status = $1, content_type = $2, location = $3, body = $4
                WHERE principal = $5 AND idempotency_key = $6
                """,
                answer.status,
                answer.contentType,
                answer.location,
                answer.body,
                principal,
                key
            )
        }
    }

    func abandon(principal: String, key: String) async throws(StoreError) {
        try await database.write { connection throws(StoreError) in
            _ = try connection.run(
                """
                DELETE FROM idempotency_keys WHERE principal = $1 AND idempotency_key = $2 AND status IS NULL
                """,
                principal,
                key
            )
        }
    }
}

extension SQLConnection {
    /// Forgets a few old keys; each new one brings this about, so that they never pile up.
    fileprivate func forgetIdempotencyKeys(before: Timestamp) throws(StoreError) {
        try send(
            dialect.pick(
                sqlite: """
                    DELETE FROM idempotency_keys WHERE (principal, idempotency_key) IN (
                        SELECT principal, idempotency_key FROM idempotency_keys
                        WHERE started_at < $1 ORDER BY started_at LIMIT 8
                    )
                    """,
                // Those that another node is about to forget are its affair.
                postgreSQL: """
                    DELETE FROM idempotency_keys WHERE (principal, idempotency_key) IN (
                        SELECT principal, idempotency_key FROM idempotency_keys
                        WHERE started_at < $1 ORDER BY started_at LIMIT 8 FOR UPDATE SKIP LOCKED
                    )
                    """
            ),
            before
        )
    }

    fileprivate func knownIdempotencyKey(
        _ principal: String,
        _ key: String,
        _ fingerprint: [UInt8]
    ) throws(StoreError) -> IdempotencyStart {
        let known = try first(
            """
            SELECT fingerprint, status, content_type, location, body FROM idempotency_keys
            WHERE principal = $1 AND idempotency_key = $2
            """,
            principal,
            key
        ) { row throws(StoreError) -> IdempotencyStart in
            guard row.array(0) == fingerprint else { return .mismatch }
            guard let status = row.optionalInt64(1) else { return .inProgress }
            return .replay(
                StoredAnswer(
                    status: Int(status),
                    contentType: row.optionalString(2),
                    location: row.optionalString(3),
                    body: row.array(4)
                )
            )
        }
        return known ?? .inProgress
    }
}
