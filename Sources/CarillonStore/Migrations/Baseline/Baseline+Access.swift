import CarillonSQL

/// API keys, idempotency keys, and the check of the master key.
extension Baseline {
    var access: [String] { [apiKeys, idempotencyKeys, masterKeyChecks] }

    /// `app_id` is null for a key of all Apps; `sealed_secret` has the first key's secret until that key is used.
    private var apiKeys: String {
        """
        CREATE TABLE api_keys (
            id BIGINT NOT NULL PRIMARY KEY,
            app_id BIGINT,
            name \(dialect.text) NOT NULL,
            scopes \(dialect.text) NOT NULL,
            secret_hash \(dialect.bytes) NOT NULL UNIQUE,
            created_at BIGINT NOT NULL,
            expires_at BIGINT,
            last_used_at BIGINT,
            sealed_secret \(dialect.bytes)
        ) \(dialect.clustered);

        """
    }

    /// Retention goes by the time, an erasure looks for answers by their location.
    private var idempotencyKeys: String {
        """
        CREATE TABLE idempotency_keys (
            principal \(dialect.text) NOT NULL,
            idempotency_key \(dialect.text) NOT NULL,
            fingerprint \(dialect.bytes) NOT NULL,
            started_at BIGINT NOT NULL,
            status BIGINT,
            content_type \(dialect.text),
            location \(dialect.text),
            body \(dialect.bytes),
            PRIMARY KEY (principal, idempotency_key)
        ) \(dialect.clustered);
        CREATE INDEX idempotency_keys_by_time ON idempotency_keys (started_at);
        CREATE INDEX idempotency_keys_by_location ON idempotency_keys (location) WHERE location IS NOT NULL;

        """
    }

    /// A value sealed with the master key, by which a server notices at its start that it has another one.
    ///
    /// The first server whose key opens the secrets of the store writes it.
    private var masterKeyChecks: String {
        """
        CREATE TABLE master_key_checks (
            id BIGINT NOT NULL PRIMARY KEY,
            sealed \(dialect.bytes) NOT NULL
        ) \(dialect.clustered);

        """
    }
}
