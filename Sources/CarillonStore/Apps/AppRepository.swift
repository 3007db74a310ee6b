import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Apps and their keys in SQL.
struct AppRepository: AppStore {
    let database: any Database

    func insert(_ app: StoredApp, for request: IdempotentRequest<Void>?) async throws(StoreError) {
        let rules = try app.app.sendingRules.text
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            try connection.run(
                """
                INSERT INTO apps (id, name, bundle_id, identity, dialect, ad_rule, tokens_per_user, token_lifetime,
                    created_at, next_device_number, sending_rules, ad_position, payload_limit, personal_messages)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $12, $13)
                """,
                app.app.id,
                app.app.name,
                app.app.bundleID,
                app.app.identity.rawValue,
                app.app.dialect.rawValue,
                app.app.adRule.rawValue,
                app.app.tokensPerUser.rawValue,
                app.app.tokenLifetimeDays,
                app.app.createdAt,
                rules,
                app.app.adWordPosition.rawValue,
                app.app.payloadLimit,
                app.app.personalMessages
            )
            try connection.run(
                "INSERT INTO app_secrets (app_id, key_hash, identity_secret, receipt_key) VALUES ($1, $2, $3, $4)",
                app.app.id,
                app.secrets.keyHash,
                app.secrets.identitySecret,
                app.secrets.receiptKey
            )
            try connection.idempotencyKeys.complete(request, ())
        }
    }

    func app(_ id: AppID) async throws(StoreError) -> App? {
        try await database.read { connection in try connection.apps.shownApp(id) }
    }

    func apps(after: AppID?, limit: Int) async throws(StoreError) -> [App] {
        try await database.read { connection in
            let apps = try connection.all(
                """
                SELECT a.id, a.name, a.bundle_id, a.identity, a.created_at, k.app_id, a.dialect, a.ad_rule,
                    a.tokens_per_user, a.token_lifetime, a.sending_rules, a.ad_position, a.payload_limit,
                    a.personal_messages
                FROM apps a LEFT JOIN push_keys k ON k.app_id = a.id
                WHERE a.id > $1 ORDER BY a.id LIMIT $2
                """,
                after?.rawValue ?? -1,
                limit,
                read: App.init(row:)
            )
            guard let last = apps.last else { return [] }
            let former = try connection.apps.formerKeys(after: after ?? AppID(rawValue: -1), through: last.id)
            return apps.map { app in
                var app = app
                app.formerKeys = former[app.id]
                return app
            }
        }
    }

    func update(_ id: AppID, _ change: AppUpdate) async throws(StoreError) -> App? {
        try await database.write { connection in
            let rules = try change.sendingRules.map { try JSONColumn($0) }
            try connection.run(
                """
                UPDATE apps SET name = COALESCE($1, name), dialect = COALESCE($2, dialect),
                    ad_rule = COALESCE($3, ad_rule), tokens_per_user = COALESCE($4, tokens_per_user),
                    token_lifetime = COALESCE($5, token_lifetime), sending_rules = COALESCE($6, sending_rules),
                    ad_position = COALESCE($7, ad_position), payload_limit = COALESCE($8, payload_limit),
                    identity = COALESCE($9, identity), personal_messages = COALESCE($10, personal_messages)
                WHERE id = $11
                """,
                change.name,
                change.dialect?.rawValue,
                change.adRule?.rawValue,
                change.tokensPerUser?.rawValue,
                change.tokenLifetimeDays,
                rules,
                change.adWordPosition?.rawValue,
                change.payloadLimit,
                change.identity?.rawValue,
                change.personalMessages,
                id
            )
            return try connection.apps.shownApp(id)
        }
    }

    func setPushKey(
        _ id: AppID,
        keyID: String,
        teamID: String,
        sealedPrivateKey: [UInt8],
        at: Timestamp
    ) async throws(StoreError) -> App? {
        try await database.write { connection in
            guard try connection.apps.app(id) != nil else { return nil }
            try connection.run(
                """
                INSERT INTO push_keys (app_id, key_id, team_id, private_key, updated_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (app_id) DO UPDATE SET key_id = excluded.key_id, team_id = excluded.team_id,
                    private_key = excluded.private_key, updated_at = excluded.updated_at, confirmed_at = NULL
                """,
                id,
                keyID,
                teamID,
                sealedPrivateKey,
                at
            )
            return try connection.apps.shownApp(id)
        }
    }

    func pushKey(_ id: AppID) async throws(StoreError) -> StoredPushKey? {
        try await database.read { connection in
            try connection.first(
                """
                SELECT k.key_id, k.team_id, k.private_key, a.bundle_id, k.updated_at
                FROM push_keys k JOIN apps a ON a.id = $1 WHERE k.app_id = $1
                """,
                id
            ) { row in
                StoredPushKey(
                    keyID: row.string(0),
                    teamID: row.string(1),
                    sealedPrivateKey: row.array(2),
                    topic: row.string(3),
                    updatedAt: Timestamp(rawValue: row.int64(4))
                )
            }
        }
    }
}

extension AppTable {
    /// An App; `nil` when there is none.
    func app(_ id: AppID) throws -> App? {
        try connection.first(
            """
            SELECT a.id, a.name, a.bundle_id, a.identity, a.created_at, k.app_id, a.dialect, a.ad_rule,
                a.tokens_per_user, a.token_lifetime, a.sending_rules, a.ad_position, a.payload_limit,
                a.personal_messages
            FROM apps a LEFT JOIN push_keys k ON k.app_id = $1 WHERE a.id = $1
            """,
            id,
            read: App.init(row:)
        )
    }
}

extension App {
    fileprivate init(row: any SQLStatement) throws {
        guard let identity = Identity(rawValue: row.string(3)) else {
            throw StoreError.failed("An App has an unknown identity.")
        }
        var request = AppRequest(
            name: row.string(1),
            bundleID: row.string(2),
            identity: identity,
            dialect: try .read(row, at: 6),
            adRule: try .read(row, at: 7)
        )
        request.tokensPerUser = try .read(row, at: 8)
        request.tokenLifetimeDays = row.int(9)
        if !row.isNull(10) { request.sendingRules = try JSONColumn.value(row, at: 10) }
        request.adWordPosition = try .read(row, at: 11)
        request.payloadLimit = row.optionalInt64(12).map(Int.init)
        request.personalMessages = row.bool(13)
        self.init(
            id: AppID(rawValue: row.int64(0)),
            request: request,
            createdAt: Timestamp(rawValue: row.int64(4))
        )
        hasPushKey = !row.isNull(5)
    }
}

extension SendingRules {
    /// The column's value; `nil` when they ask for nothing.
    fileprivate var text: String? {
        get throws(StoreError) { self == SendingRules() ? nil : try JSONColumn(self).text }
    }
}
