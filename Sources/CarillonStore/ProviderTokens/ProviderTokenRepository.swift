import CarillonEngine
import CarillonModel

/// Sealed provider tokens in SQL.
struct ProviderTokenRepository: SealedProviderTokenStore {
    let database: any Database

    func token(keyID: String, teamID: String) async throws(StoreError) -> SealedProviderToken? {
        try await database.read { connection throws(StoreError) in
            try connection.providerToken(keyID: keyID, teamID: teamID)
        }
    }

    func replace(
        keyID: String,
        teamID: String,
        issuedAt expected: Timestamp?,
        with new: SealedProviderToken
    ) async throws(StoreError) -> SealedProviderToken {
        try await database.write { connection throws(StoreError) in
            // The expected time is in the statement's own condition: of several callers one wins.
            let wasKept = try connection.run(
                """
                INSERT INTO provider_tokens (team_id, key_id, token, issued_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (team_id, key_id) DO UPDATE SET token = excluded.token, issued_at = excluded.issued_at
                WHERE provider_tokens.issued_at = $5
                """,
                teamID,
                keyID,
                new.sealed,
                new.issuedAt,
                expected
            )
            if wasKept > 0 { return new }
            return try connection.providerToken(keyID: keyID, teamID: teamID) ?? new
        }
    }
}

extension SQLConnection {
    fileprivate func providerToken(keyID: String, teamID: String) throws(StoreError) -> SealedProviderToken? {
        try first(
            "SELECT token, issued_at FROM provider_tokens WHERE team_id = $1 AND key_id = $2",
            teamID,
            keyID
        ) { row throws(StoreError) in
            SealedProviderToken(sealed: row.array(0), issuedAt: Timestamp(rawValue: row.int64(1)))
        }
    }
}
