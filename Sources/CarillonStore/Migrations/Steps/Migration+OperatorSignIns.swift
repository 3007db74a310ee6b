import CarillonSQL

extension Migration {
    /// Passkeys of Operators, their accounts at identity providers, and how a session began.
    ///
    /// `operator_passkeys.public_key` is in COSE's form, `party` the host that the key was made for, `sign_count` what the
    /// authenticator counted last, 0 for those that do not count. `operator_identities.account_hash` is the hash of issuer
    /// and subject. `operator_used_challenges` has hashes of what was signed once, until nobody would accept it anyway.
    /// `operator_sessions.method` is 1 for the password, as all were before.
    static let operatorSignIns = Migration(name: "0017 sign-ins of operators") { dialect in
        """
        CREATE TABLE operator_passkeys (
            id BIGINT NOT NULL PRIMARY KEY,
            operator_id BIGINT NOT NULL,
            credential_id \(dialect.bytes) NOT NULL,
            public_key \(dialect.bytes) NOT NULL,
            party \(dialect.text) NOT NULL,
            name \(dialect.text) NOT NULL,
            is_synced \(dialect.small) NOT NULL,
            sign_count BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            used_at BIGINT
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX operator_passkeys_by_credential ON operator_passkeys (credential_id);
        CREATE INDEX operator_passkeys_by_operator ON operator_passkeys (operator_id, id);
        CREATE TABLE operator_identities (
            id BIGINT NOT NULL PRIMARY KEY,
            operator_id BIGINT NOT NULL,
            account_hash \(dialect.bytes) NOT NULL,
            issuer \(dialect.text) NOT NULL,
            subject \(dialect.text) NOT NULL,
            created_at BIGINT NOT NULL,
            used_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX operator_identities_by_account ON operator_identities (account_hash);
        CREATE INDEX operator_identities_by_operator ON operator_identities (operator_id, id);
        CREATE TABLE operator_used_challenges (
            challenge_hash \(dialect.bytes) NOT NULL PRIMARY KEY,
            expires_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE INDEX operator_used_challenges_by_end ON operator_used_challenges (expires_at);
        ALTER TABLE operator_sessions ADD COLUMN method \(dialect.small) NOT NULL DEFAULT 1;
        """
    }
}
