import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The App key, the identity secret and the receipt key, and those that they replaced.
extension AppRepository {
    func storedApp(_ id: AppID) async throws(StoreError) -> StoredApp? {
        try await database.read { connection in
            guard let app = try connection.apps.app(id) else { return nil }
            let former = try connection.apps.formerSecrets(of: id)
            return try connection.first(
                "SELECT key_hash, identity_secret, receipt_key FROM app_secrets WHERE app_id = $1",
                id,
                as: (SecretHash, [UInt8], [UInt8]).self
            ).map { hash, identitySecret, receiptKey in
                var secrets = SealedAppSecrets(keyHash: hash, identitySecret: identitySecret, receiptKey: receiptKey)
                secrets.former = former
                return StoredApp(app: app, secrets: secrets)
            }
        }
    }

    func app(keyHash: SecretHash, at now: Timestamp) async throws(StoreError) -> AppID? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT app_id FROM app_secrets WHERE key_hash = $1
                UNION ALL
                SELECT app_id FROM former_app_secrets WHERE key_hash = $1 AND ends_at > $2
                LIMIT 1
                """,
                keyHash,
                now,
                as: AppID.self
            )
        }
    }

    func rotate(
        _ id: AppID,
        _ new: NewAppSecrets,
        limit: Int,
        at now: Timestamp
    ) async throws(StoreError) -> AppKeyChange {
        try await database.write { connection in
            try connection.apps.rotate(id, new, limit: limit, at: now)
        }
    }

    func endFormerKeys(_ kind: AppKeyKind, of id: AppID) async throws(StoreError) -> App? {
        try await database.write { connection in
            try connection.lock(.app(id))
            try connection.apps.dropFormer(kind, of: id)
            return try connection.apps.shownApp(id)
        }
    }

    func dropFormerKeys(of id: AppID, endedAt now: Timestamp) async throws(StoreError) {
        _ = try await database.write(priority: .bulk) { connection in
            try connection.run("DELETE FROM former_app_secrets WHERE app_id = $1 AND ends_at <= $2", id, now)
        }
    }
}

extension AppTable {
    fileprivate func rotate(
        _ id: AppID,
        _ new: NewAppSecrets,
        limit: Int,
        at now: Timestamp
    ) throws -> AppKeyChange {
        try connection.lock(.app(id))
        guard try app(id) != nil else { return .unknown }
        let former = try formerKeys(of: id).filter { $0.endsAt > now }
        for kind in new.kinds where new.ends[kind] != nil {
            if former.count(where: { $0.kind == kind }) >= limit { return .tooMany(kind) }
        }
        try connection.run("DELETE FROM former_app_secrets WHERE app_id = $1 AND ends_at <= $2", id, now)
        for kind in new.kinds {
            if let end = new.ends[kind] {
                try saveFormer(kind, of: id, until: end)
            } else {
                try dropFormer(kind, of: id)
            }
        }
        try connection.run(
            """
            UPDATE app_secrets SET key_hash = COALESCE($1, key_hash),
                identity_secret = COALESCE($2, identity_secret), receipt_key = COALESCE($3, receipt_key)
            WHERE app_id = $4
            """,
            new.keyHash,
            new.identitySecret,
            new.receiptKey,
            id
        )
        return .changed(try shownApp(id))
    }

    /// An App as it is shown, with the ends of its former keys.
    func shownApp(_ id: AppID) throws -> App? {
        guard var app = try app(id) else { return nil }
        let former = try formerKeys(of: id)
        if !former.isEmpty { app.formerKeys = former }
        return app
    }

    /// The former keys of Apps in a range of ids.
    func formerKeys(after first: AppID, through last: AppID) throws -> [AppID: [FormerAppKey]] {
        let found = try connection.all(
            """
            SELECT app_id, kind, ends_at FROM former_app_secrets WHERE app_id > $1 AND app_id <= $2
            ORDER BY app_id, kind, number LIMIT 20000
            """,
            first,
            last,
            as: (AppID, AppKeyKind, Timestamp).self
        )
        return Dictionary(grouping: found, by: \.0).mapValues { $0.map { FormerAppKey(kind: $0.1, endsAt: $0.2) } }
    }

    fileprivate func formerKeys(of id: AppID) throws -> [FormerAppKey] {
        try connection.all(
            "SELECT kind, ends_at FROM former_app_secrets WHERE app_id = $1 ORDER BY kind, number LIMIT 100",
            id,
            as: (AppKeyKind, Timestamp).self
        ).map { FormerAppKey(kind: $0, endsAt: $1) }
    }

    fileprivate func formerSecrets(of id: AppID) throws -> [FormerAppSecret] {
        try connection.all(
            """
            SELECT kind, ends_at, sealed FROM former_app_secrets
            WHERE app_id = $1 ORDER BY kind, number DESC LIMIT 100
            """,
            id,
            as: (AppKeyKind, Timestamp, [UInt8]?).self
        ).map { FormerAppSecret(key: FormerAppKey(kind: $0, endsAt: $1), sealed: $2) }
    }

    /// Keeps what an App has now as what it had before.
    fileprivate func saveFormer(_ kind: AppKeyKind, of id: AppID, until end: Timestamp) throws {
        try connection.run(
            """
            INSERT INTO former_app_secrets (app_id, kind, number, key_hash, sealed, ends_at)
            SELECT s.app_id, $1, COALESCE(
                    (SELECT MAX(f.number) FROM former_app_secrets f WHERE f.app_id = $2 AND f.kind = $1), 0) + 1,
                CASE WHEN $1 = 'appKey' THEN s.key_hash END,
                CASE WHEN $1 = 'identitySecret' THEN s.identity_secret WHEN $1 = 'receiptKey' THEN s.receipt_key END,
                $3
            FROM app_secrets s WHERE s.app_id = $2
            """,
            kind,
            id,
            end
        )
    }

    fileprivate func dropFormer(_ kind: AppKeyKind, of id: AppID) throws {
        try connection.run("DELETE FROM former_app_secrets WHERE app_id = $1 AND kind = $2", id, kind)
    }
}

extension AppKeyKind: SQLBindable, SQLReadable {}
