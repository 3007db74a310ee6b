import CarillonSQL

/// What became of every notification.
extension Baseline {
    var deliveries: [String] { [deliveryTable, reasons, recentSends] }

    /// Keys begin with the App, then the Occurrence, whose ids order by time: rows are appended, and retention drops ranges.
    ///
    /// There is no other index: one by Device would cost a page write a row.
    private var deliveryTable: String {
        """
        CREATE TABLE deliveries (
            app_id BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            push_type \(dialect.small) NOT NULL,
            outcome \(dialect.small) NOT NULL,
            reason \(dialect.small) NOT NULL,
            at BIGINT NOT NULL,
            PRIMARY KEY (app_id, occurrence_id, device_number, push_type)
        ) \(partitioned);

        """ + defaultPartition(of: "deliveries")
    }

    private var reasons: String {
        """
        CREATE TABLE delivery_reasons (
            code BIGINT NOT NULL PRIMARY KEY,
            reason \(dialect.text) NOT NULL UNIQUE
        ) \(dialect.clustered);

        """
    }

    /// Written only for an App that has a frequency cap or a duplicate guard; `message` is a hash of what was said and to
    /// which token.
    private var recentSends: String {
        """
        CREATE TABLE recent_sends (
            app_id BIGINT NOT NULL,
            device_number BIGINT NOT NULL,
            occurrence_id BIGINT NOT NULL,
            push_type BIGINT NOT NULL,
            at BIGINT NOT NULL,
            is_ad BIGINT NOT NULL,
            is_capped BIGINT NOT NULL,
            message BIGINT NOT NULL,
            PRIMARY KEY (app_id, device_number, occurrence_id, push_type)
        );

        """
    }
}
