import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// Every column of bytes is listed as sealed or unsealed, so that a rotation of the master key misses none.
struct SealedColumnTests {
    /// Columns of bytes that the vault has not sealed.
    private static let plain: [(column: String, reason: String)] = [
        ("api_keys.secret_hash", "a hash"),
        ("app_secrets.key_hash", "a hash"),
        ("former_app_secrets.key_hash", "a hash"),
        ("provider_tokens.public_key_hash", "a hash"),
        ("content_feeds.body", "public data"),
        ("content_attachment_parts.bytes", "a part of a file of a person's, which an App shows"),
        ("vendor_apis.key_hash", "a hash"),
        ("vendor_apis.secret_hash", "a hash"),
        ("vendor_app_codes.code_hash", "a hash"),
        ("accounts.password", "a hash"),
        ("accounts.activation_hash", "a hash"),
        ("account_tokens.token_hash", "a hash"),
        ("sign_in_attempts.subject", "a hash"),
        ("operators.password", "a hash"),
        ("operator_sessions.value_hash", "a hash"),
        ("operator_links.secret_hash", "a hash"),
        ("operator_recovery_codes.code_hash", "a hash"),
        ("operator_attempts.subject", "a hash"),
        ("test_pairings.code_hash", "a hash"),
        ("operator_passkeys.credential_id", "an id"),
        ("operator_passkeys.public_key", "a public key"),
        ("operator_identities.account_hash", "a hash"),
        ("operator_used_challenges.challenge_hash", "a hash"),
        ("idempotency_keys.body", "an answer, without its secrets"),
        ("idempotency_keys.fingerprint", "a hash"),
    ]

    /// Tables about Devices, whose bytes are ids, tokens and hashes.
    private static let deviceTables: Set<String> = [
        "devices", "call_tokens", "former_device_numbers", "deleted_devices", "invalid_tokens", "webhook_outbox",
        "vendor_device_ids", "removed_tokens",
    ]

    @Test("S1-m11 Every column of bytes is listed as sealed or as unsealed", arguments: StoreKind.allCases)
    func allAreKnown(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let columns = try await database.read { connection in
                try connection.all(
                    connection.dialect.pick(
                        sqlite: """
                            SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                            WHERE m.type = 'table' AND upper(c.type) = 'BLOB' ORDER BY 1 LIMIT 1000
                            """,
                        postgreSQL: """
                            SELECT CAST(table_name || '.' || column_name AS TEXT) FROM information_schema.columns
                            WHERE table_schema = current_schema() AND data_type = 'bytea' ORDER BY 1 LIMIT 1000
                            """
                    )
                ) { $0.string(0) }
            }
            let secrets = columns.filter { column in
                !Self.deviceTables.contains(String(column.prefix { $0 != "." }))
                    && !Self.plain.contains { $0.column == column }
            }
            #expect(secrets == SealedColumn.allCases.map(\.rawValue).sorted())
        }
    }
}
