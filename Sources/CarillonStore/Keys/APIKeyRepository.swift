import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `api_keys`; most queries leave the secrets out.
private enum APIKeyColumn: Int, SQLColumn {
    case id, appID, name, scopes, createdAt, expiresAt, recipientsPerCampaign, recipientsPerHour, lastUsedAt
    case sealedSecret, secretHash
}

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
                SELECT \(APIKeyColumn.list(through: .sealedSecret)) FROM api_keys
                WHERE sealed_secret IS NOT NULL ORDER BY id LIMIT 1
                """
            ) { row in UnusedAPIKey(key: try APIKey(row: row), sealedSecret: try row[.sealedSecret]) }
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
                "SELECT \(APIKeyColumn.list(through: .lastUsedAt)) FROM api_keys WHERE secret_hash = $1",
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
                    SELECT \(APIKeyColumn.list(through: .lastUsedAt)) FROM api_keys
                    WHERE id > $1 ORDER BY id LIMIT $2
                    """,
                    after,
                    limit,
                    read: APIKey.init(row:)
                )
            }
            return try connection.all(
                """
                SELECT \(APIKeyColumn.list(through: .lastUsedAt)) FROM api_keys
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
            now,
            as: APIKeyID.self
        )
    }

    fileprivate func insert(_ key: StoredAPIKey, sealedSecret: [UInt8]? = nil) throws {
        try connection.run("INSERT INTO api_keys (\(APIKeyColumn.list)) VALUES (\(APIKeyColumn.parameters))") {
            (row: SQLParameters<APIKeyColumn>) in
            row.bind(key.key.id, to: .id)
            row.bind(key.key.app, to: .appID)
            row.bind(key.key.name, to: .name)
            row.bind(key.key.scopes.map(\.rawValue).joined(separator: " "), to: .scopes)
            row.bind(key.key.createdAt, to: .createdAt)
            row.bind(key.key.expiresAt, to: .expiresAt)
            row.bind(key.key.recipientsPerCampaign, to: .recipientsPerCampaign)
            row.bind(key.key.recipientsPerHour, to: .recipientsPerHour)
            row.bind(key.key.lastUsedAt, to: .lastUsedAt)
            row.bind(sealedSecret, to: .sealedSecret)
            row.bind(key.secretHash, to: .secretHash)
        }
    }
}

extension APIKey {
    fileprivate init(row: SQLRow<APIKeyColumn>) throws {
        let scopes: String = try row[.scopes]
        var request = APIKeyRequest(
            name: try row[.name],
            // A scope that this version does not know gives nothing.
            scopes: scopes.split(separator: " ").compactMap { APIKeyScope(rawValue: String($0)) }
        )
        request.expiresAt = try row[.expiresAt]
        request.recipientsPerCampaign = .some(try row[.recipientsPerCampaign])
        request.recipientsPerHour = .some(try row[.recipientsPerHour])
        self.init(id: try row[.id], app: try row[.appID], request: request, createdAt: try row[.createdAt])
        lastUsedAt = try row[.lastUsedAt]
    }
}
