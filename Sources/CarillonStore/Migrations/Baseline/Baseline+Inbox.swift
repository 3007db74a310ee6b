import CarillonSQL

/// Inboxes, and what was read there.
extension Baseline {
    /// A message to a list writes a row for each Device; one to everybody only its Occurrence into `inbox_broadcasts`, so
    /// that many small Campaigns do not stand between a phone and its broadcasts.
    var inbox: [String] {
        [
            """
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
                user_id \(dialect.text) NOT NULL,
                occurrence_id BIGINT NOT NULL,
                PRIMARY KEY (app_id, user_id, occurrence_id)
            ) \(dialect.clustered);

            """
        ]
    }
}
