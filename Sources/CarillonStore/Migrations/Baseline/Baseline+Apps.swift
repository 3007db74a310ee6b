import CarillonSQL

/// Apps, their rules and their secrets.
extension Baseline {
    var apps: [String] { [app, secrets, formerSecrets, pushKeys, providerTokens] }

    /// `dialect` has the words that an App's phones understand, `sending_rules` is JSON: quiet hours, frequency cap,
    /// duplicate guard.
    ///
    /// `next_…_number` is the number that the next Device, tag or label gets; none is given twice. `token_lifetime` is in
    /// days after a token's last registration. `told_label_count` counts labels that Devices told and no operator defined:
    /// to count the rows takes time that a flood of unknown labels multiplies. `personal_messages` is 1 where Campaigns of
    /// an App whose identity is open may be personal.
    private var app: String {
        """
        CREATE TABLE apps (
            id BIGINT NOT NULL PRIMARY KEY,
            name \(dialect.text) NOT NULL,
            bundle_id \(dialect.text) NOT NULL,
            identity \(dialect.text) NOT NULL,
            created_at BIGINT NOT NULL,
            next_device_number BIGINT NOT NULL,
            dialect \(dialect.text) NOT NULL DEFAULT 'carillon',
            ad_rule \(dialect.text) NOT NULL DEFAULT 'everyone',
            next_tag_number BIGINT NOT NULL DEFAULT 1,
            next_label_number BIGINT NOT NULL DEFAULT 1,
            tokens_per_user \(dialect.text) NOT NULL DEFAULT 'many',
            token_lifetime BIGINT NOT NULL DEFAULT 365,
            sending_rules \(dialect.text),
            ad_position \(dialect.text) NOT NULL DEFAULT 'title',
            payload_limit BIGINT,
            told_label_count BIGINT NOT NULL DEFAULT 0,
            personal_messages \(dialect.small) NOT NULL DEFAULT 0
        ) \(dialect.clustered);

        """
    }

    /// The hash leads from an app's key to its App; the other two are sealed.
    private var secrets: String {
        """
        CREATE TABLE app_secrets (
            app_id BIGINT NOT NULL PRIMARY KEY,
            key_hash \(dialect.bytes) NOT NULL UNIQUE,
            identity_secret \(dialect.bytes) NOT NULL,
            receipt_key \(dialect.bytes) NOT NULL
        ) \(dialect.clustered);

        """
    }

    /// Secrets that were replaced and are still accepted until `ends_at`.
    ///
    /// `kind` is a word of the API. An App key has its hash, the others what the vault sealed. `number` counts those of
    /// an App and kind.
    private var formerSecrets: String {
        """
        CREATE TABLE former_app_secrets (
            app_id BIGINT NOT NULL,
            kind \(dialect.text) NOT NULL,
            number BIGINT NOT NULL,
            key_hash \(dialect.bytes),
            sealed \(dialect.bytes),
            ends_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, kind, number)
        ) \(dialect.clustered);
        CREATE INDEX former_app_secrets_by_key ON former_app_secrets (key_hash) WHERE key_hash IS NOT NULL;

        """
    }

    /// `confirmed_at` is null until APNs accepts a notification with the key.
    private var pushKeys: String {
        """
        CREATE TABLE push_keys (
            app_id BIGINT NOT NULL PRIMARY KEY,
            key_id \(dialect.text) NOT NULL,
            team_id \(dialect.text) NOT NULL,
            private_key \(dialect.bytes) NOT NULL,
            updated_at BIGINT NOT NULL,
            confirmed_at BIGINT
        ) \(dialect.clustered);

        """
    }

    /// A provider token belongs to the key that signed it, not to the two ids that somebody typed beside it.
    private var providerTokens: String {
        """
        CREATE TABLE provider_tokens (
            team_id \(dialect.text) NOT NULL,
            key_id \(dialect.text) NOT NULL,
            public_key_hash \(dialect.bytes) NOT NULL,
            token \(dialect.bytes) NOT NULL,
            issued_at BIGINT NOT NULL,
            PRIMARY KEY (team_id, key_id, public_key_hash)
        ) \(dialect.clustered);

        """
    }
}
