import CarillonSQL

extension Migration {
    /// Operators, their roles, sessions, links, recovery codes and attempts, and what the audit log has of them.
    ///
    /// `operators.address_key` is what is unique of the address, `password` scrypt with its parameters and its salt,
    /// `second_factor` the sealed secret, `second_factor_step` the last step of which a code was used. `role` is 0 for none.
    /// `operator_sessions.stage` is 1 when only the password was right, 2 for an Operator who is signed in whole.
    /// `operator_links.operator_id` is null for setup links. `operator_attempts.subject` is a hash of a name, an address or
    /// both, `until` when a further attempt need not wait. Entries of the audit log from before have neither session nor
    /// change, and hashes without them.
    static let operators = Migration(name: "0013 operators") { dialect in
        """
        CREATE TABLE operators (
            id BIGINT NOT NULL PRIMARY KEY,
            address \(dialect.text) NOT NULL,
            address_key \(dialect.text) NOT NULL,
            display_name \(dialect.text) NOT NULL,
            state \(dialect.small) NOT NULL,
            role \(dialect.small) NOT NULL,
            language \(dialect.text),
            zone \(dialect.text),
            theme \(dialect.small) NOT NULL,
            password \(dialect.bytes),
            second_factor \(dialect.bytes),
            second_factor_step BIGINT,
            failed_attempts BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            signed_in_at BIGINT
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX operators_by_address ON operators (address_key);
        CREATE TABLE operator_roles (
            app_id BIGINT NOT NULL,
            operator_id BIGINT NOT NULL,
            role \(dialect.small) NOT NULL,
            PRIMARY KEY (app_id, operator_id)
        ) \(dialect.clustered);
        CREATE INDEX operator_roles_by_operator ON operator_roles (operator_id, app_id);
        CREATE TABLE operator_sessions (
            id BIGINT NOT NULL PRIMARY KEY,
            value_hash \(dialect.bytes) NOT NULL,
            operator_id BIGINT NOT NULL,
            stage \(dialect.small) NOT NULL,
            created_at BIGINT NOT NULL,
            used_at BIGINT NOT NULL,
            authenticated_at BIGINT NOT NULL,
            address \(dialect.text),
            client \(dialect.text),
            failed_attempts BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE UNIQUE INDEX operator_sessions_by_value ON operator_sessions (value_hash);
        CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id, id);
        CREATE INDEX operator_sessions_by_use ON operator_sessions (used_at);
        CREATE TABLE operator_links (
            secret_hash \(dialect.bytes) NOT NULL PRIMARY KEY,
            kind \(dialect.small) NOT NULL,
            operator_id BIGINT,
            removes_second_factor \(dialect.small) NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE INDEX operator_links_by_operator ON operator_links (operator_id);
        CREATE INDEX operator_links_by_end ON operator_links (expires_at);
        CREATE TABLE operator_recovery_codes (
            operator_id BIGINT NOT NULL,
            code_hash \(dialect.bytes) NOT NULL,
            PRIMARY KEY (operator_id, code_hash)
        ) \(dialect.clustered);
        CREATE TABLE operator_attempts (
            subject \(dialect.bytes) NOT NULL PRIMARY KEY,
            failures BIGINT NOT NULL,
            until BIGINT NOT NULL,
            forgotten_at BIGINT NOT NULL
        ) \(dialect.clustered);
        CREATE INDEX operator_attempts_by_time ON operator_attempts (forgotten_at);
        ALTER TABLE audit_log ADD COLUMN session_id BIGINT;
        ALTER TABLE audit_log ADD COLUMN change \(dialect.text);
        \(dialect == .postgreSQL ? "ALTER TABLE operator_roles ALTER COLUMN app_id SET (n_distinct = 1);" : "")
        """
    }
}
