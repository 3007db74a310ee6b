import CarillonSQL

extension Migration {
    /// Who added a push key and what APNs said about it, a key that replaces it once APNs accepts that one, and the last
    /// attempts of webhooks.
    ///
    /// `last_check` is JSON. `file_key_id` is the key's id in the name of Apple's file. `webhook_attempts.number` counts the
    /// attempts of a webhook; `body` has the beginning of the answer.
    static let settings = Migration(name: "0019 settings") { dialect in
        let tables = ["push_key_candidates", "webhook_attempts"]
        let estimates = tables.map { "ALTER TABLE \($0) ALTER COLUMN app_id SET (n_distinct = 1);" }
        return """
            ALTER TABLE push_keys ADD COLUMN added_by \(dialect.text);
            ALTER TABLE push_keys ADD COLUMN file_key_id \(dialect.text);
            ALTER TABLE push_keys ADD COLUMN last_check \(dialect.text);
            ALTER TABLE push_keys ADD COLUMN checked_at BIGINT;
            CREATE TABLE push_key_candidates (
                app_id BIGINT NOT NULL PRIMARY KEY,
                key_id \(dialect.text) NOT NULL,
                team_id \(dialect.text) NOT NULL,
                private_key \(dialect.bytes) NOT NULL,
                updated_at BIGINT NOT NULL,
                added_by \(dialect.text),
                file_key_id \(dialect.text),
                last_check \(dialect.text),
                checked_at BIGINT
            ) \(dialect.clustered);
            CREATE TABLE webhook_attempts (
                app_id BIGINT NOT NULL,
                webhook_id BIGINT NOT NULL,
                number BIGINT NOT NULL,
                message_id BIGINT NOT NULL,
                at BIGINT NOT NULL,
                status BIGINT,
                error \(dialect.text),
                body \(dialect.text),
                milliseconds BIGINT NOT NULL,
                PRIMARY KEY (app_id, webhook_id, number)
            ) \(dialect.clustered);
            \(dialect == .postgreSQL ? estimates.joined(separator: "\n") : "")
            """
    }
}
