import CarillonSQL

extension Migration {
    /// A provider token belongs to the key that signed it, not to the two ids that somebody typed beside it.
    ///
    /// Tokens of before have an empty hash: they are used until they are renewed, by the key that has signed them.
    static let providerTokens = Migration(name: "0026 provider tokens") { dialect in
        """
        ALTER TABLE provider_tokens RENAME TO former_provider_tokens;
        CREATE TABLE provider_tokens (
            team_id TEXT NOT NULL,
            key_id TEXT NOT NULL,
            public_key_hash \(dialect.bytes) NOT NULL,
            token \(dialect.bytes) NOT NULL,
            issued_at BIGINT NOT NULL,
            PRIMARY KEY (team_id, key_id, public_key_hash)
        ) \(dialect.clustered);
        INSERT INTO provider_tokens (team_id, key_id, public_key_hash, token, issued_at)
            SELECT team_id, key_id, \(dialect == .postgreSQL ? "''::bytea" : "x''"), token, issued_at
            FROM former_provider_tokens;
        DROP TABLE former_provider_tokens;

        """
    }
}
