import CarillonSQL

/// What the SDK reports.
extension Baseline {
    /// `kind` is a code; `action` is empty but for a button's.
    var events: [String] {
        [
            """
            CREATE TABLE events (
                app_id BIGINT NOT NULL,
                occurrence_id BIGINT NOT NULL,
                device_number BIGINT NOT NULL,
                kind BIGINT NOT NULL,
                action \(dialect.text) NOT NULL,
                occurred_at BIGINT NOT NULL,
                reply \(dialect.text),
                latitude DOUBLE PRECISION,
                longitude DOUBLE PRECISION,
                PRIMARY KEY (app_id, occurrence_id, device_number, kind, action)
            ) \(partitioned);

            """,
            defaultPartition(of: "events"),
        ]
    }
}
