import CarillonSQL

/// How many rows PostgreSQL takes an App to have, where it has several indexes to choose from or rows to join.
extension Baseline {
    /// An App counts as all there is, or as large as the largest that statistics know.
    ///
    /// With many small Apps it would be one row, and any index that begins with the App would count for as good as the key:
    /// each look-up goes through all rows of an App that has many. It holds from the next time on that a table is analyzed.
    var estimates: [String] {
        guard dialect == .postgreSQL else { return [] }
        return [
            "audiences", "call_tokens", "campaign_recipients", "campaigns", "category_labels", "chunks",
            "deleted_devices", "device_categories", "device_reads", "device_tags", "devices", "former_device_numbers",
            "inbox_rows", "invalid_tokens", "occurrences", "recent_sends", "retries", "tags", "templates",
            "user_attributes", "user_reads", "user_tags", "waves", "webhook_messages", "webhook_outbox",
        ].map { "ALTER TABLE \($0) ALTER COLUMN app_id SET (n_distinct = 1);" }
    }
}
