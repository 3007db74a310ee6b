import CarillonSQL

extension Migration {
    /// Tokens whose person has left here: an import of another service's file does not bring them back.
    ///
    /// `token_hash` is the beginning of the token's SHA-256: nobody can be reached by it.
    static let removedTokens = Migration(name: "0007 removed tokens") { dialect in
        """
        CREATE TABLE removed_tokens (
            app_id BIGINT NOT NULL,
            token_hash \(dialect.bytes) NOT NULL,
            removed_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, token_hash)
        ) \(dialect.clustered);
        CREATE INDEX removed_tokens_by_time ON removed_tokens (removed_at);
        \(dialect == .postgreSQL ? "ALTER TABLE removed_tokens ALTER COLUMN app_id SET (n_distinct = 1);" : "")
        """
    }
}
