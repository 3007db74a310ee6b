import CarillonSQL

/// Tokens that are not in a Device's row.
extension Baseline {
    var tokens: [String] { [voipTokens, invalidTokens] }

    /// VoIP tokens, at most one a Device.
    private var voipTokens: String {
        """
        CREATE TABLE call_tokens (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            state BIGINT NOT NULL,
            registered_at BIGINT NOT NULL,
            token \(dialect.bytes) NOT NULL,
            tenant \(dialect.text) NOT NULL DEFAULT '',
            unconfirmed \(dialect.small),
            PRIMARY KEY (app_id, device_number)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX call_tokens_by_token ON call_tokens (app_id, push_type, tenant, token);

        """
    }

    /// Tokens that the push service refused: `reason` is its word, `invalid_since` its time.
    private var invalidTokens: String {
        """
        CREATE TABLE invalid_tokens (
            app_id BIGINT NOT NULL,
            at BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            campaign_id BIGINT,
            invalid_since BIGINT,
            token \(dialect.bytes) NOT NULL,
            public_id \(dialect.bytes) NOT NULL,
            tenant \(dialect.text) NOT NULL DEFAULT '',
            user_id \(dialect.text),
            reason \(dialect.text) NOT NULL,
            PRIMARY KEY (app_id, at, device_number, push_type)
        ) \(dialect.clustered);
        CREATE INDEX invalid_tokens_by_user ON invalid_tokens (app_id, user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX invalid_tokens_by_device ON invalid_tokens (app_id, device_number);

        """
    }
}
