import CarillonSQL

/// Where a User, or a Device of theirs, is in the store.
///
/// A table that names a Device or a User belongs into one of these lists; a test walks the schema for those that do not.
enum UserTraces {
    /// By App and Device number.
    static let byNumber: [SQL] = [
        "DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM device_badges WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM recent_sends WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM call_tokens WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM invalid_tokens WHERE app_id = $1 AND device_number = $2",
        "DELETE FROM test_devices WHERE app_id = $1 AND device_number = $2",
    ]
    /// By App and User.
    static let byUser: [SQL] = [
        "DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM user_attributes WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM user_tags WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM campaign_recipients WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM invalid_tokens WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM account_tokens WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM accounts WHERE app_id = $1 AND user_id = $2",
        "DELETE FROM content_bundles WHERE app_id = $1 AND user_id = $2",
        """
        DELETE FROM content_follow_keys WHERE app_id = $1 AND follow_id IN (
            SELECT f.id FROM content_follows f WHERE f.app_id = $1 AND f.user_id = $2)
        """,
        "DELETE FROM content_follows WHERE app_id = $1 AND user_id = $2",
        """
        DELETE FROM content_attachment_parts WHERE app_id = $1 AND id IN (
            SELECT a.id FROM content_attachments a WHERE a.app_id = $1 AND a.user_id = $2)
        """,
        "DELETE FROM content_attachments WHERE app_id = $1 AND user_id = $2",
    ]
    /// By App, Occurrence and Device number; none of them has an index by Device, which would cost every row a page
    /// write.
    static let byOccurrence: [SQL] = [
        "DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
        "DELETE FROM deliveries WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3",
    ]
    static let retries: SQL = """
        DELETE FROM retries WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3
        """
    /// The same for many Occurrences and numbers at once, on PostgreSQL, where each statement is a round trip.
    static let byOccurrences: [SQL] = [
        """
        DELETE FROM events WHERE app_id = $1 AND occurrence_id >= $2 AND occurrence_id <= $3
            AND occurrence_id = ANY(ARRAY(SELECT unnest(CAST($4 AS BIGINT[]))))
            AND device_number = ANY(ARRAY(SELECT unnest(CAST($5 AS BIGINT[]))))
        """,
        """
        DELETE FROM deliveries WHERE app_id = $1 AND occurrence_id >= $2 AND occurrence_id <= $3
            AND occurrence_id = ANY(ARRAY(SELECT unnest(CAST($4 AS BIGINT[]))))
            AND device_number = ANY(ARRAY(SELECT unnest(CAST($5 AS BIGINT[]))))
        """,
    ]
    static let retriesOfOccurrences: SQL = """
        DELETE FROM retries WHERE app_id = $1 AND occurrence_id = ANY(ARRAY(SELECT unnest(CAST($2 AS BIGINT[]))))
            AND device_number = ANY(ARRAY(SELECT unnest(CAST($3 AS BIGINT[])))) RETURNING occurrence_id
        """
    /// By App and label, for a Device that is there no more.
    static let labels: [SQL] = [
        """
        DELETE FROM device_tags WHERE app_id = $1 AND device_number = $2 AND tag IN (
            SELECT t.number FROM tags t WHERE t.app_id = $1)
        """,
        """
        DELETE FROM device_categories WHERE app_id = $1 AND device_number = $2 AND label IN (
            SELECT l.number FROM category_labels l WHERE l.app_id = $1)
        """,
    ]
    /// Whether there is anything beside an account.
    static let isKnown: SQL = """
        SELECT 1 FROM devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM deleted_devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_erasures WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM invalid_tokens WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_tags WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_attributes WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM user_reads WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM campaign_recipients WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM content_follows WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM content_bundles WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT 1 FROM content_attachments WHERE app_id = $1 AND user_id = $2
        LIMIT 1
        """
    static let numbers: SQL = """
        SELECT number FROM former_device_numbers WHERE app_id = $1 AND user_id = $2 AND number > $3
        UNION SELECT number FROM deleted_devices WHERE app_id = $1 AND user_id = $2 AND number > $3
        ORDER BY number LIMIT $4
        """
}
