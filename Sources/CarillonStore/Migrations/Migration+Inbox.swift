import CarillonSQL

extension Migration {
    /// Channels, inboxes, and where events happened.
    ///
    /// A message to a list writes a row for each Device; one to everybody only its Occurrence into `inbox_broadcasts`,
    /// so that many small Campaigns do not stand between a phone and its broadcasts. `inbox` and `channel` are codes.
    /// The index of former numbers has all that is asked for: SQLite would otherwise rather go through the App's
    /// numbers. What was sent before this step is in no inbox.
    static let inbox = Migration(name: "0004 inbox") { dialect in
        """
        ALTER TABLE campaigns ADD COLUMN channel BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE campaigns ADD COLUMN inbox BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE events ADD COLUMN latitude DOUBLE PRECISION;
        ALTER TABLE events ADD COLUMN longitude DOUBLE PRECISION;
        CREATE TABLE inbox_rows (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number, occurrence_id)
        ) \(dialect.clustered);
        CREATE TABLE inbox_broadcasts (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            last_device BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id)
        ) \(dialect.clustered);
        CREATE TABLE device_reads (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number, occurrence_id)
        ) \(dialect.clustered);
        CREATE TABLE user_reads (
            app_id BIGINT NOT NULL,
            user_id TEXT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, user_id, occurrence_id)
        ) \(dialect.clustered);
        CREATE INDEX former_device_numbers_by_user
            ON former_device_numbers (app_id, user_id, number, changed_at, public_id) WHERE user_id IS NOT NULL;

        """
    }
}
