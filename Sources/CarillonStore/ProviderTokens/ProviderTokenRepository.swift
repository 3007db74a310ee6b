import CarillonEngine
import CarillonModel
import CarillonSQL

/// Sealed provider tokens in SQL.
struct ProviderTokenRepository: SealedProviderTokenStore {
    let database: any Database

    func token(of key: ProviderKey) async throws(StoreError) -> SealedProviderToken? {
        try await database.read { connection in try connection.providerTokens.providerToken(of: key) }
    }

    func replace(
        _ key: ProviderKey,
        issuedAt expected: Timestamp?,
        with new: SealedProviderToken
    ) async throws(StoreError) -> SealedProviderToken {
        try await database.write { connection in
            // The expected time is in the statement's own condition: of several callers one wins.
            let wasKept = try connection.run(
                """
                INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (team_id, key_id, public_key_hash)
                    DO UPDATE SET token = excluded.token, issued_at = excluded.issued_at
                WHERE provider_tokens.issued_at = $6
                """,
                key.teamID,
                key.keyID,
                key.publicKeyHash,
                new.sealed,
                new.issuedAt,
                expected
            )
            if wasKept > 0 { return new }
            return try connection.providerTokens.providerToken(of: key) ?? new
        }
    }
}

extension ProviderTokenTable {
    fileprivate func providerToken(of key: ProviderKey) throws -> SealedProviderToken? {
        try connection.first(
            "SELECT token, issued_at FROM provider_tokens WHERE team_id = $1 AND key_id = $2 AND public_key_hash = $3",
            key.teamID,
            key.keyID,
            key.publicKeyHash,
            as: ([UInt8], Timestamp).self
        ).map { SealedProviderToken(sealed: $0, issuedAt: $1) }
    }
}
