import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension SealedValueTable {
    /// Puts a value in the place of another, unless somebody has changed that meanwhile.
    func replace(_ former: SealedValue, with sealed: [UInt8], of column: SealedColumn) throws {
        switch (column, former.place) {
        case (.identitySecrets, .app(let app)):
            try connection.run(
                "UPDATE app_secrets SET identity_secret = $1 WHERE app_id = $2 AND identity_secret = $3",
                sealed,
                app,
                former.sealed
            )
        case (.receiptKeys, .app(let app)):
            try connection.run(
                "UPDATE app_secrets SET receipt_key = $1 WHERE app_id = $2 AND receipt_key = $3",
                sealed,
                app,
                former.sealed
            )
        case (.pushKeys, .app(let app)):
            try connection.run(
                "UPDATE push_keys SET private_key = $1 WHERE app_id = $2 AND private_key = $3",
                sealed,
                app,
                former.sealed
            )
        case (.pushKeyCandidates, .app(let app)):
            try connection.run(
                "UPDATE push_key_candidates SET private_key = $1 WHERE app_id = $2 AND private_key = $3",
                sealed,
                app,
                former.sealed
            )
        case (.userMessageSecrets, .app(let app)):
            try connection.run(
                "UPDATE user_message_rules SET secret = $1 WHERE app_id = $2 AND secret = $3",
                sealed,
                app,
                former.sealed
            )
        default: try replaceOther(former, with: sealed, of: column)
        }
    }

    private func replaceOther(
        _ former: SealedValue,
        with sealed: [UInt8],
        of column: SealedColumn
    ) throws {
        switch (column, former.place) {
        case (.formerAppSecrets, .formerAppSecret(let app, let kind, let number)):
            try connection.run(
                """
                UPDATE former_app_secrets SET sealed = $1
                WHERE app_id = $2 AND kind = $3 AND number = $4 AND sealed = $5
                """,
                sealed,
                app,
                kind,
                number,
                former.sealed
            )
        case (.auditKeys, .server):
            try connection.run("UPDATE audit_keys SET sealed = $1 WHERE id = 1 AND sealed = $2", sealed, former.sealed)
        case (.providerTokens, .providerToken(let key)):
            try connection.run(
                """
                UPDATE provider_tokens SET token = $1
                WHERE team_id = $2 AND key_id = $3 AND public_key_hash = $4 AND token = $5
                """,
                sealed,
                key.teamID,
                key.keyID,
                key.publicKeyHash,
                former.sealed
            )
        case (.webhookSecrets, .webhook(let app, let id)):
            try connection.run(
                "UPDATE webhooks SET secret = $1 WHERE app_id = $2 AND id = $3 AND secret = $4",
                sealed,
                app,
                id,
                former.sealed
            )
        case (.formerWebhookSecrets, .webhook(let app, let id)):
            try connection.run(
                "UPDATE webhooks SET former_secret = $1 WHERE app_id = $2 AND id = $3 AND former_secret = $4",
                sealed,
                app,
                id,
                former.sealed
            )
        case (.contentSourceSecrets, .contentSource(let app, let set, let name)):
            try connection.run(
                """
                UPDATE content_sources SET secret = $1
                WHERE app_id = $2 AND set_name = $3 AND name = $4 AND secret = $5
                """,
                sealed,
                app,
                set,
                name,
                former.sealed
            )
        case (.secondFactors, .person(let id)):
            try connection.run(
                "UPDATE operators SET second_factor = $1 WHERE id = $2 AND second_factor = $3",
                sealed,
                id,
                former.sealed
            )
        case (.firstKey, .apiKey(let id)):
            try connection.run(
                "UPDATE api_keys SET sealed_secret = $1 WHERE id = $2 AND sealed_secret = $3",
                sealed,
                id,
                former.sealed
            )
        default: preconditionFailure("A column's values lie in its own places.")
        }
    }
}
