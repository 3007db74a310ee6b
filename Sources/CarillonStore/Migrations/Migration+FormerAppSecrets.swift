import CarillonSQL

extension Migration {
    /// Secrets of Apps that were replaced and are still taken, until each one's time.
    ///
    /// `kind` is a word of the API. An App key has its hash, the others what the vault sealed. `number` counts those of
    /// an App and kind.
    static let formerAppSecrets = Migration(name: "0041 former app secrets") { dialect in
        """
        CREATE TABLE former_app_secrets (
            app_id BIGINT NOT NULL,
            kind TEXT NOT NULL,
            number BIGINT NOT NULL,
            key_hash \(dialect.bytes),
            sealed \(dialect.bytes),
            ends_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, kind, number)
        ) \(dialect.clustered);
        CREATE INDEX former_app_secrets_by_key ON former_app_secrets (key_hash) WHERE key_hash IS NOT NULL;

        """
    }
}
