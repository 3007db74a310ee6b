import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// What the vault has sealed, in SQL.
struct SealedValueRepository: SealedValueStore {
    let database: any Database

    func sealedValues(
        of column: SealedColumn,
        after last: SealedPlace?,
        limit: Int
    ) async throws(StoreError) -> [SealedValue] {
        try await database.read { connection in
            try connection.sealedValues.sealedValues(of: column, after: last, limit: limit)
        }
    }

    func replace(
        _ values: [(former: SealedValue, sealed: [UInt8])],
        of column: SealedColumn
    ) async throws(StoreError) {
        try await database.write(priority: .bulk) { connection in
            for value in values { try connection.sealedValues.replace(value.former, with: value.sealed, of: column) }
        }
    }
}

private enum FormerSecretColumn: Int, SQLColumn { case appID, kind, number, sealed }

private enum ProviderTokenColumn: Int, SQLColumn { case teamID, keyID, publicKeyHash, token }

extension SealedValueTable {
    fileprivate func sealedValues(
        of column: SealedColumn,
        after last: SealedPlace?,
        limit: Int
    ) throws -> [SealedValue] {
        switch column {
        case .identitySecrets:
            try values(
                ofApps: "SELECT app_id, identity_secret FROM app_secrets WHERE app_id > $1 ORDER BY app_id LIMIT $2",
                after: last,
                limit
            )
        case .receiptKeys:
            try values(
                ofApps: "SELECT app_id, receipt_key FROM app_secrets WHERE app_id > $1 ORDER BY app_id LIMIT $2",
                after: last,
                limit
            )
        case .pushKeys:
            try values(
                ofApps: "SELECT app_id, private_key FROM push_keys WHERE app_id > $1 ORDER BY app_id LIMIT $2",
                after: last,
                limit
            )
        case .pushKeyCandidates:
            try values(
                ofApps: """
                    SELECT app_id, private_key FROM push_key_candidates WHERE app_id > $1 ORDER BY app_id LIMIT $2
                    """,
                after: last,
                limit
            )
        case .userMessageSecrets:
            try values(
                ofApps: """
                    SELECT app_id, secret FROM user_message_rules
                    WHERE app_id > $1 AND secret IS NOT NULL ORDER BY app_id LIMIT $2
                    """,
                after: last,
                limit
            )
        case .formerAppSecrets: try formerAppSecrets(after: last, limit)
        case .providerTokens: try providerTokens(after: last, limit)
        case .webhookSecrets:
            try values(
                ofWebhooks: """
                    SELECT app_id, id, secret FROM webhooks WHERE (app_id, id) > ($1, $2) ORDER BY app_id, id LIMIT $3
                    """,
                after: last,
                limit
            )
        case .formerWebhookSecrets:
            try values(
                ofWebhooks: """
                    SELECT app_id, id, former_secret FROM webhooks
                    WHERE (app_id, id) > ($1, $2) AND former_secret IS NOT NULL ORDER BY app_id, id LIMIT $3
                    """,
                after: last,
                limit
            )
        case .contentSourceSecrets: try contentSources(after: last, limit)
        case .firstKey: try firstKeys(after: last, limit)
        case .secondFactors: try secondFactors(after: last, limit)
        case .auditKeys:
            if last != nil {
                []
            } else {
                try connection.all("SELECT sealed FROM audit_keys WHERE id = 1", as: [UInt8].self)
                    .map { SealedValue(place: .server, sealed: $0) }
            }
        case .checks: []
        }
    }

    private func values(ofApps sql: SQL, after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = AppID(rawValue: -1)
        if case .app(let app) = last { first = app }
        return try connection.all(sql, first, limit, as: (AppID, [UInt8]).self)
            .map { SealedValue(place: .app($0), sealed: $1) }
    }

    private func values(
        ofWebhooks sql: SQL,
        after last: SealedPlace?,
        _ limit: Int
    ) throws -> [SealedValue] {
        var first = (AppID(rawValue: -1), WebhookID(rawValue: -1))
        if case .webhook(let app, let id) = last { first = (app, id) }
        return try connection.all(sql, first.0, first.1, limit, as: (AppID, Int64, [UInt8]).self)
            .map { SealedValue(place: .webhook($0, WebhookID(rawValue: $1)), sealed: $2) }
    }

    private func formerAppSecrets(after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = (AppID(rawValue: -1), "", Int64(-1))
        if case .formerAppSecret(let app, let kind, let number) = last { first = (app, kind.rawValue, number) }
        return try connection.all(
            """
            SELECT \(FormerSecretColumn.list) FROM former_app_secrets
            WHERE (app_id, kind, number) > ($1, $2, $3) AND sealed IS NOT NULL ORDER BY app_id, kind, number LIMIT $4
            """,
            first.0,
            first.1,
            first.2,
            limit
        ) { (row: SQLRow<FormerSecretColumn>) in
            let place = SealedPlace.formerAppSecret(try row[.appID], try row[.kind], number: try row[.number])
            return SealedValue(place: place, sealed: try row[.sealed])
        }
    }

    private func providerTokens(after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = ProviderKey(keyID: "", teamID: "", publicKeyHash: [])
        if case .providerToken(let key) = last { first = key }
        return try connection.all(
            """
            SELECT \(ProviderTokenColumn.list) FROM provider_tokens
            WHERE (team_id, key_id, public_key_hash) > ($1, $2, $3) ORDER BY team_id, key_id, public_key_hash LIMIT $4
            """,
            first.teamID,
            first.keyID,
            first.publicKeyHash,
            limit
        ) { (row: SQLRow<ProviderTokenColumn>) in
            let key = ProviderKey(
                keyID: try row[.keyID],
                teamID: try row[.teamID],
                publicKeyHash: try row[.publicKeyHash]
            )
            return SealedValue(place: .providerToken(key), sealed: try row[.token])
        }
    }

    private func contentSources(after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = (AppID(rawValue: -1), "", "")
        if case .contentSource(let app, let set, let name) = last { first = (app, set, name) }
        return try connection.all(
            """
            SELECT app_id, set_name, name, secret FROM content_sources
            WHERE (app_id, set_name, name) > ($1, $2, $3) AND secret IS NOT NULL
            ORDER BY app_id, set_name, name LIMIT $4
            """,
            first.0,
            first.1,
            first.2,
            limit,
            as: (AppID, String, String, [UInt8]).self
        ).map { SealedValue(place: .contentSource($0, set: $1, name: $2), sealed: $3) }
    }

    private func secondFactors(after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = OperatorID(rawValue: -1)
        if case .person(let id) = last { first = id }
        return try connection.all(
            "SELECT id, second_factor FROM operators WHERE id > $1 AND second_factor IS NOT NULL ORDER BY id LIMIT $2",
            first,
            limit,
            as: (OperatorID, [UInt8]).self
        ).map { SealedValue(place: .person($0), sealed: $1) }
    }

    private func firstKeys(after last: SealedPlace?, _ limit: Int) throws -> [SealedValue] {
        var first = APIKeyID(rawValue: -1)
        if case .apiKey(let key) = last { first = key }
        return try connection.all(
            "SELECT id, sealed_secret FROM api_keys WHERE id > $1 AND sealed_secret IS NOT NULL ORDER BY id LIMIT $2",
            first,
            limit,
            as: (APIKeyID, [UInt8]).self
        ).map { SealedValue(place: .apiKey($0), sealed: $1) }
    }
}
