import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// API keys in SQL.
struct APIKeyRepository: APIKeyStore {
    let database: any Database

    func insert(_ key: StoredAPIKey, for request: IdempotentRequest<Void>?) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            if let app = key.key.app, try connection.apps.app(app) == nil { return false }
            try connection.apiKeys.insert(key)
            try connection.idempotencyKeys.complete(request, ())
            return true
        }
    }

    func insertFirst(_ key: StoredAPIKey, sealedSecret: [UInt8]) async throws(StoreError) -> UnusedAPIKey? {
        try await database.write { connection in
            try connection.lock(.keys)
            let isThere = try connection.first("SELECT id FROM api_keys LIMIT 1") { _ in true }
            if isThere == nil { try connection.apiKeys.insert(key, sealedSecret: sealedSecret) }
            return try connection.first(
                """
                SELECT id, app_id, name, scopes, created_at, expires_at, last_used_at, sealed_secret FROM api_keys
                WHERE sealed_secret IS NOT NULL ORDER BY id LIMIT 1
                """
            ) { row in UnusedAPIKey(key: try APIKey(row: row), sealedSecret: row.array(7)) }
        }
    }

    func markUsed(_ id: APIKeyID, at: Timestamp) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.run("UPDATE api_keys SET last_used_at = $1, sealed_secret = NULL WHERE id = $2", at, id)
        }
    }

    func key(secretHash: SecretHash) async throws(StoreError) -> APIKey? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT id, app_id, name, scopes, created_at, expires_at, last_used_at FROM api_keys
                WHERE secret_hash = $1
                """,
                secretHash,
                read: APIKey.init(row:)
            )
        }
    }

    func keys(app: AppID?, after: APIKeyID?, limit: Int) async throws(StoreError) -> [APIKey] {
        try await database.read { connection in
            let after = after?.rawValue ?? -1
            guard let app else {
                return try connection.all(
                    """
                    SELECT id, app_id, name, scopes, created_at, expires_at, last_used_at FROM api_keys
                    WHERE id > $1 ORDER BY id LIMIT $2
                    """,
                    after,
                    limit,
                    read: APIKey.init(row:)
                )
            }
            return try connection.all(
                """
                SELECT id, app_id, name, scopes, created_at, expires_at, last_used_at FROM api_keys
                WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
                """,
                app,
                after,
                limit,
                read: APIKey.init(row:)
            )
        }
    }

    func delete(_ id: APIKeyID, app: AppID?, now: Timestamp) async throws(StoreError) -> APIKeyDeletion {
        try await database.write { connection in
            if let app {
                let count = try connection.run("DELETE FROM api_keys WHERE id = $1 AND app_id = $2", id, app)
                return count > 0 ? .deleted : .unknown
            }
            // Of two that delete the last two administrators at once, the second one must see what the first did.
            try connection.lock(.keys)
            if try connection.apiKeys.administrators(at: now) == [id] { return .isLastAdministrator }
            // One that ends would leave nobody once it has.
            if try connection.apiKeys.administrators(at: .never) == [id] { return .isLastAdministrator }
            return try connection.run("DELETE FROM api_keys WHERE id = $1", id) > 0 ? .deleted : .unknown
        }
    }
}

extension APIKeyTable {
    /// Two of the server's keys that may do everything now, or as many as there are.
    fileprivate func administrators(at now: Timestamp) throws -> [APIKeyID] {
        try connection.all(
            """
            SELECT id FROM api_keys
            WHERE app_id IS NULL AND (expires_at IS NULL OR expires_at > $1)
                AND ' ' || scopes || ' ' LIKE '% admin %'
            LIMIT 2
            """,
            now
        ) { APIKeyID(rawValue: $0.int64(0)) }
    }

    fileprivate func insert(_ key: StoredAPIKey, sealedSecret: [UInt8]? = nil) throws {
        try connection.run(
            """
            INSERT INTO api_keys (id, app_id, name, scopes, secret_hash, created_at, expires_at, sealed_secret)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            key.key.id,
            key.key.app,
            key.key.name,
            key.key.scopes.map(\.rawValue).joined(separator: " "),
            key.secretHash,
            key.key.createdAt,
            key.key.expiresAt,
            sealedSecret
        )
    }
}

extension APIKey {
    fileprivate init(row: any SQLStatement) throws {
        let words = row.string(3).split(separator: " ")
        var request = APIKeyRequest(
            app: row.optionalInt64(1).map(AppID.init(rawValue:)),
            name: row.string(2),
            // A scope that this version does not know gives nothing.
            scopes: words.compactMap { APIKeyScope(rawValue: String($0)) }
        )
        request.expiresAt = row.optionalInt64(5).map(Timestamp.init(rawValue:))
        self.init(
            id: APIKeyID(rawValue: row.int64(0)),
            request: request,
            createdAt: Timestamp(rawValue: row.int64(4))
        )
        lastUsedAt = row.optionalInt64(6).map(Timestamp.init(rawValue:))
    }
}
