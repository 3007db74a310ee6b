import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Apps and their keys in SQL.
struct AppRepository: AppStore {
    let database: any Database

    func insert(_ app: StoredApp, for request: IdempotentRequest<Void>?) async throws(StoreError) {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            guard try !connection.apps.isDeleted(app.app.id) else {
                throw StoreError.failed("An App with the id \(app.app.id) was deleted.")
            }
            try connection.apps.insert(app.app)
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
                SELECT \(AppColumn.list(of: "a")), \(KeyedAppColumn.list(of: "k"))
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
                    identity = COALESCE($9, identity), personal_messages = COALESCE($10, personal_messages),
                    confirm_above = COALESCE($11, confirm_above), approve_above = COALESCE($12, approve_above),
                    hold_seconds = COALESCE($13, hold_seconds), guards_keys = COALESCE($14, guards_keys)
                WHERE id = $15
                """,
                change.name,
                change.dialect,
                change.adRule,
                change.tokensPerUser,
                change.tokenLifetimeDays,
                rules,
                change.adWordPosition,
                change.payloadLimit,
                change.identity,
                change.personalMessages,
                change.sendGuards?.confirmAbove,
                change.sendGuards?.approveAbove,
                change.sendGuards?.hold,
                change.sendGuards?.appliesToKeys,
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
                    private_key = excluded.private_key, updated_at = excluded.updated_at, confirmed_at = NULL,
                    added_by = NULL, file_key_id = NULL, last_check = NULL, checked_at = NULL
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
                SELECT \(PushKeyColumn.list(of: "k")) FROM push_keys k JOIN apps a ON a.id = $1 WHERE k.app_id = $1
                """,
                id
            ) { (row: SQLRow<PushKeyColumn>) in
                StoredPushKey(
                    keyID: try row[.keyID],
                    teamID: try row[.teamID],
                    sealedPrivateKey: try row[.privateKey],
                    topic: try row[.topic],
                    updatedAt: try row[.updatedAt]
                )
            }
        }
    }
}

/// The columns of `apps`, but for the number that its next Device gets.
private enum AppColumn: Int, SQLColumn {
    case id, name, bundleID, identity, dialect, adRule, tokensPerUser, tokenLifetime, createdAt, sendingRules
    case adPosition, payloadLimit, personalMessages, sendingPausedAt, sendingPausedBy
    case confirmAbove, approveAbove, holdSeconds, guardsKeys
}

/// Null for an App that has no push key.
private enum KeyedAppColumn: Int, SQLColumn { case teamID }

private enum PushKeyColumn: Int, SQLColumn {
    case keyID, teamID, privateKey, topic, updatedAt

    var sql: String { self == .topic ? "a.bundle_id" : name }
}

extension AppTable {
    /// An App; `nil` when there is none.
    func app(_ id: AppID) throws -> App? {
        try connection.first(
            """
            SELECT \(AppColumn.list(of: "a")), \(KeyedAppColumn.list(of: "k"))
            FROM apps a LEFT JOIN push_keys k ON k.app_id = $1 WHERE a.id = $1
            """,
            id,
            read: App.init(row:)
        )
    }

    fileprivate func insert(_ app: App) throws {
        try connection.run(
            "INSERT INTO apps (\(AppColumn.list), next_device_number) VALUES (\(AppColumn.parameters), 1)"
        ) { (row: SQLParameters<AppColumn>) in
            row.bind(app.id, to: .id)
            row.bind(app.name, to: .name)
            row.bind(app.bundleID, to: .bundleID)
            row.bind(app.identity, to: .identity)
            row.bind(app.dialect, to: .dialect)
            row.bind(app.adRule, to: .adRule)
            row.bind(app.tokensPerUser, to: .tokensPerUser)
            row.bind(app.tokenLifetimeDays, to: .tokenLifetime)
            row.bind(app.createdAt, to: .createdAt)
            // Rules that ask for nothing are null.
            try row.bind(app.sendingRules == SendingRules() ? nil : JSONColumn(app.sendingRules), to: .sendingRules)
            row.bind(app.adWordPosition, to: .adPosition)
            row.bind(app.payloadLimit, to: .payloadLimit)
            row.bind(app.personalMessages, to: .personalMessages)
            row.bind(app.sendingPausedAt, to: .sendingPausedAt)
            row.bind(app.sendingPausedBy, to: .sendingPausedBy)
            row.bind(app.sendGuards.confirmAbove, to: .confirmAbove)
            row.bind(app.sendGuards.approveAbove, to: .approveAbove)
            row.bind(app.sendGuards.hold, to: .holdSeconds)
            row.bind(app.sendGuards.appliesToKeys, to: .guardsKeys)
        }
    }
}

extension App {
    fileprivate init(row: SQLRow<AppColumn>) throws {
        var request = AppRequest(
            name: try row[.name],
            bundleID: try row[.bundleID],
            identity: try row[.identity],
            dialect: try row[.dialect],
            adRule: try row[.adRule]
        )
        request.tokensPerUser = try row[.tokensPerUser]
        request.tokenLifetimeDays = try row[.tokenLifetime]
        if let rules: JSONColumn<SendingRules> = try row[.sendingRules] { request.sendingRules = rules.value }
        request.adWordPosition = try row[.adPosition]
        request.payloadLimit = try row[.payloadLimit]
        request.personalMessages = try row[.personalMessages]
        request.sendGuards.confirmAbove = try row[.confirmAbove]
        request.sendGuards.approveAbove = try row[.approveAbove]
        request.sendGuards.hold = try row[.holdSeconds]
        request.sendGuards.appliesToKeys = try row[.guardsKeys]
        self.init(id: try row[.id], request: request, createdAt: try row[.createdAt])
        let team: String? = try row.following(KeyedAppColumn.self)[.teamID]
        hasPushKey = team != nil
        usesSimulator = team == PushKey.simulatorTeamID
        sendingPausedAt = try row[.sendingPausedAt]
        sendingPausedBy = try row[.sendingPausedBy]
    }
}
