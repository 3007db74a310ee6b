import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Push keys, what replaces them, and their checks in SQL.
struct PushKeyRepository: PushKeyStore {
    let database: any Database

    func keys(of app: AppID) async throws(StoreError) -> AppPushKeys? {
        try await database.read { connection in
            let topic = try connection.first("SELECT bundle_id FROM apps WHERE id = $1", app, as: String.self)
            guard let topic else { return nil }
            let inUse = try connection.first(
                """
                SELECT key_id, team_id, private_key, updated_at, added_by, file_key_id, last_check FROM push_keys
                WHERE app_id = $1
                """,
                app,
                read: KeptPushKey.init(row:)
            )
            let candidate = try connection.first(
                """
                SELECT key_id, team_id, private_key, updated_at, added_by, file_key_id, last_check
                FROM push_key_candidates WHERE app_id = $1
                """,
                app,
                read: KeptPushKey.init(row:)
            )
            return AppPushKeys(topic: topic, inUse: inUse, candidate: candidate)
        }
    }

    func add(_ key: KeptPushKey, to app: AppID) async throws(StoreError) -> Bool? {
        try await database.write { connection -> Bool? in
            try connection.lock(.app(app))
            guard try connection.apps.app(app) != nil else { return nil }
            let isThere = try connection.first("SELECT 1 FROM push_keys WHERE app_id = $1", app) { _ in true }
            guard isThere == nil else {
                try connection.run("DELETE FROM push_key_candidates WHERE app_id = $1", app)
                try connection.run(
                    """
                    INSERT INTO push_key_candidates (app_id, key_id, team_id, private_key, updated_at, added_by,
                        file_key_id)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)
                    """,
                    app,
                    key.keyID,
                    key.teamID,
                    key.sealedPrivateKey,
                    key.addedAt,
                    key.addedBy,
                    key.fileKeyID
                )
                return false
            }
            try connection.run(
                """
                INSERT INTO push_keys (app_id, key_id, team_id, private_key, updated_at, added_by, file_key_id)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                app,
                key.keyID,
                key.teamID,
                key.sealedPrivateKey,
                key.addedAt,
                key.addedBy,
                key.fileKeyID
            )
            return true
        }
    }

    func promote(_ candidate: KeptPushKey, of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.lock(.app(app))
            let isThere = try connection.first(
                """
                SELECT 1 FROM push_key_candidates WHERE app_id = $1 AND updated_at = $2 AND key_id = $3
                """,
                app,
                candidate.addedAt,
                candidate.keyID
            ) { _ in true }
            guard isThere != nil else { return false }
            try connection.run("DELETE FROM push_keys WHERE app_id = $1", app)
            try connection.run(
                """
                INSERT INTO push_keys (app_id, key_id, team_id, private_key, updated_at, added_by, file_key_id,
                    last_check, checked_at)
                SELECT app_id, key_id, team_id, private_key, updated_at, added_by, file_key_id, last_check, checked_at
                FROM push_key_candidates WHERE app_id = $1
                """,
                app
            )
            try connection.run("DELETE FROM push_key_candidates WHERE app_id = $1", app)
            return true
        }
    }

    func dropCandidate(of app: AppID) async throws(StoreError) -> Bool {
        try await database.write { connection in
            try connection.run("DELETE FROM push_key_candidates WHERE app_id = $1", app) > 0
        }
    }

    func note(
        addedBy: String?,
        fileKeyID: String?,
        ofKeyAddedAt time: Timestamp,
        app: AppID
    ) async throws(StoreError) {
        _ = try await database.write { connection in
            try connection.run(
                "UPDATE push_keys SET added_by = $1, file_key_id = $2 WHERE app_id = $3 AND updated_at = $4",
                addedBy,
                fileKeyID,
                app,
                time
            )
        }
    }

    func save(
        _ check: PushKeyCheck,
        of key: KeptPushKey,
        isInUse: Bool,
        app: AppID
    ) async throws(StoreError) {
        _ = try await database.write { connection in
            let column = try JSONColumn(check)
            guard isInUse else {
                return try connection.run(
                    """
                    UPDATE push_key_candidates SET last_check = $1, checked_at = $2
                    WHERE app_id = $3 AND key_id = $4 AND updated_at = $5
                    """,
                    column,
                    check.checkedAt,
                    app,
                    key.keyID,
                    key.addedAt
                )
            }
            return try connection.run(
                """
                UPDATE push_keys SET last_check = $1, checked_at = $2
                WHERE app_id = $3 AND key_id = $4 AND updated_at = $5
                """,
                column,
                check.checkedAt,
                app,
                key.keyID,
                key.addedAt
            )
        }
    }

    func appsToCheck(before time: Timestamp, after: AppID?, limit: Int) async throws(StoreError) -> [AppID] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT app_id FROM push_keys
                WHERE app_id > $1 AND (checked_at IS NULL OR checked_at < $2) ORDER BY app_id LIMIT $3
                """,
                after?.rawValue ?? -1,
                time,
                limit,
                as: AppID.self
            )
        }
    }

    func lastToken(of key: ProviderKey) async throws(StoreError) -> Timestamp? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT issued_at FROM provider_tokens WHERE team_id = $1 AND key_id = $2 AND public_key_hash = $3
                """,
                key.teamID,
                key.keyID,
                key.publicKeyHash,
                as: Timestamp.self
            )
        }
    }
}

private enum KeptPushKeyColumn: Int, SQLColumn {
    case keyID, teamID, privateKey, updatedAt, addedBy, fileKeyID, lastCheck
}

extension KeptPushKey {
    fileprivate init(row: SQLRow<KeptPushKeyColumn>) throws {
        let check: JSONColumn<PushKeyCheck>? = try row[.lastCheck]
        self.init(
            keyID: try row[.keyID],
            teamID: try row[.teamID],
            sealedPrivateKey: try row[.privateKey],
            addedAt: try row[.updatedAt],
            addedBy: try row[.addedBy],
            fileKeyID: try row[.fileKeyID],
            check: check?.value
        )
    }
}
