import CarillonSQL

/// How long rows are kept.
extension Baseline {
    /// In days, `minutes` among them: figures by the minute.
    var retention: [String] {
        [
            """
            CREATE TABLE app_retention (
                app_id BIGINT NOT NULL PRIMARY KEY,
                deliveries BIGINT NOT NULL,
                events BIGINT NOT NULL,
                inbox BIGINT NOT NULL,
                minutes BIGINT NOT NULL,
                campaigns BIGINT NOT NULL DEFAULT 30,
                lists BIGINT NOT NULL DEFAULT 30,
                user_messages BIGINT NOT NULL DEFAULT 30
            ) \(dialect.clustered);

            """
        ]
    }
}
