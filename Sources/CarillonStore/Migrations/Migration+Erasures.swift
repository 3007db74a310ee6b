import CarillonSQL

extension Migration {
    /// How long test sends and transactional Campaigns are kept, and Users whose erasure goes on after its request.
    ///
    /// `after_occurrence` is the last Occurrence that was looked through.
    static let erasures = Migration(name: "0019 erasures") { dialect in
        """
        ALTER TABLE app_retention ADD COLUMN campaigns BIGINT NOT NULL DEFAULT 30;
        CREATE TABLE user_erasures (
            app_id BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            after_occurrence BIGINT NOT NULL,
            requested_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, user_id)
        ) \(dialect.clustered);

        """
    }
}
