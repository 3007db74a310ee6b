import CarillonSQL

extension Migration {
    /// Accounts of people, their tokens, and counts of attempts.
    ///
    /// `accounts.name` is as the person wrote it, `name_key` what is unique; both are null for a guest, as is `password`:
    /// scrypt with its parameters and its salt. `activation_hash` is the SHA-256 of what completes a sign-up, null when it
    /// is complete. `account_tokens` has the SHA-256 of each token of a session; `state` is 0 for the current one, 1 for one
    /// that was issued and not used yet, 2 for one that was replaced. `sign_in_attempts.subject` is a keyed hash of a name or
    /// an address, `forgotten_at` when all of its attempts are forgotten.
    static let accounts = Migration(name: "0009 accounts") { dialect in
        """
        CREATE TABLE account_rules (
            app_id BIGINT NOT NULL PRIMARY KEY,
            rules \(dialect.text) NOT NULL
        ) \(dialect.clustered);
        CREATE TABLE accounts (
            app_id BIGINT NOT NULL,
            user_id \(dialect.text) NOT NULL,
            name \(dialect.text),
            name_key \(dialect.text),
            display_name \(dialect.text) NOT NULL,
            password \(dialect.bytes),
            activation_hash \(dialect.bytes),
            is_blocked \(dialect.small) NOT NULL,
            created_at BIGINT NOT NULL,
            used_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, user_id)
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX accounts_by_name ON accounts (app_id, name_key);
        CREATE UNIQUE INDEX accounts_by_activation ON accounts (app_id, activation_hash)
            WHERE activation_hash IS NOT NULL;
        CREATE INDEX accounts_pending ON accounts (app_id, created_at) WHERE activation_hash IS NOT NULL;
        CREATE INDEX accounts_of_guests ON accounts (app_id, used_at, user_id) WHERE name_key IS NULL;
        CREATE TABLE account_tokens (
            app_id BIGINT NOT NULL,
            token_hash \(dialect.bytes) NOT NULL,
            user_id \(dialect.text) NOT NULL,
            session_id BIGINT NOT NULL,
            state \(dialect.small) NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            replaced_at BIGINT,
            PRIMARY KEY (app_id, token_hash)
        ) \(dialect.clustered);
        CREATE INDEX account_tokens_by_user ON account_tokens (app_id, user_id, session_id);
        CREATE INDEX account_tokens_by_end ON account_tokens (app_id, expires_at);
        CREATE TABLE sign_in_attempts (
            app_id BIGINT NOT NULL,
            subject \(dialect.bytes) NOT NULL,
            forgotten_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, subject)
        ) \(dialect.clustered);
        CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (app_id, forgotten_at);
        \(dialect == .postgreSQL ? estimates : "")
        """
    }

    /// See ``Baseline/estimates``.
    private static let estimates = """
        ALTER TABLE accounts ALTER COLUMN app_id SET (n_distinct = 1);
        ALTER TABLE account_tokens ALTER COLUMN app_id SET (n_distinct = 1);
        ALTER TABLE sign_in_attempts ALTER COLUMN app_id SET (n_distinct = 1);
        """
}
