import CarillonSQL

extension Migration {
    /// How many rows PostgreSQL takes an App to have, where it has several indexes to choose from or rows to join.
    ///
    /// With many small Apps it would be one, and any index that begins with the App would count for as good as the key:
    /// each look-up goes through all rows of an App that has many. Here an App counts as all there is, or as large as the
    /// largest that statistics know. It holds from the next time on that a table is analyzed.
    ///
    /// The lock that it takes is in nobody's way but in VACUUM's and ANALYZE's. So it is waited for: PostgreSQL ends an
    /// autovacuum for whoever has waited for a second, and for nobody who has given up.
    static let estimates = Migration(name: "0025 estimates") { dialect in
        guard dialect == .postgreSQL else { return "" }
        let changes = estimatedTables.map { "ALTER TABLE \($0) ALTER COLUMN app_id SET (n_distinct = 1);\n" }
        return "SET LOCAL lock_timeout = 5000;\n" + changes.joined()
    }

    private static let estimatedTables = [
        "audiences", "call_tokens", "campaigns", "category_labels", "chunks", "device_categories", "device_reads",
        "device_tags", "devices", "former_device_numbers", "inbox_rows", "invalid_tokens", "occurrences",
        "recent_sends", "retries", "tags", "templates", "user_attributes", "user_reads", "user_tags", "waves",
        "webhook_messages", "webhook_outbox",
    ]
}
