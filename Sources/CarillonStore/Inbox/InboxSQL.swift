/// The statements of inboxes; every one that reads is bounded by a key or a limit.
package enum InboxSQL {
    static let reader: SQL = """
        SELECT d.number, d.secret_hash, d.user_id, d.language, a.identity
        FROM devices d JOIN apps a ON a.id = d.app_id
        WHERE d.app_id = $1 AND d.public_id = $2
        """
    static let devicesOfUser: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND user_id = $2 ORDER BY number DESC LIMIT $3
        """
    static let formerOfUser: SQL = """
        SELECT number, changed_at FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        ORDER BY number DESC LIMIT $3
        """
    static let formerOfDevice: SQL = """
        SELECT number, changed_at FROM (
            SELECT number, changed_at, public_id FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
            ORDER BY number DESC LIMIT $3
        ) AS latest WHERE public_id = $4 LIMIT $5
        """
    static let rows: SQL = """
        SELECT occurrence_id FROM inbox_rows WHERE app_id = $1 AND device_number = $2 AND occurrence_id >= $3
        ORDER BY occurrence_id DESC LIMIT $4
        """
    static let broadcasts: SQL = """
        SELECT occurrence_id, last_device FROM inbox_broadcasts WHERE app_id = $1 AND occurrence_id >= $2
        ORDER BY occurrence_id DESC LIMIT $3
        """
    /// Accepted ones alone; 1 is `Delivery.Outcome.accepted`.
    static let delivery: SQL = """
        SELECT 1 FROM deliveries WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 AND outcome = 1 LIMIT 1
        """
    static let userReads: SQL = """
        SELECT occurrence_id FROM user_reads WHERE app_id = $1 AND user_id = $2 AND occurrence_id >= $3
        ORDER BY occurrence_id DESC LIMIT $4
        """
    static let deviceReads: SQL = """
        SELECT occurrence_id FROM device_reads WHERE app_id = $1 AND device_number = $2 AND occurrence_id >= $3
        ORDER BY occurrence_id DESC LIMIT $4
        """
    static let content: SQL = """
        SELECT c.message, o.started_at, c.id, c.is_ad, c.content FROM occurrences o
        JOIN campaigns c ON c.app_id = o.app_id AND c.id = o.campaign_id
        WHERE o.app_id = $1 AND o.id = $2
        """

    static let allOfDevice: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND public_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND public_id = $2
        """
    static let allOfUser: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        """

    static let nextOccurrences: SQL = """
        SELECT id FROM occurrences WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
        """
    static let hasEvents: SQL = """
        SELECT 1 FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 LIMIT 1
        """

    /// All that read, for a test of how they find their rows.
    package static let reading: [SQL] = [
        reader, devicesOfUser, formerOfUser, formerOfDevice, rows, broadcasts, delivery, userReads, deviceReads,
        content, allOfDevice, allOfUser, nextOccurrences, hasEvents,
    ]

    // MARK: - Writing

    static let row: SQL = """
        INSERT INTO inbox_rows (app_id, device_number, occurrence_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """
    static let userRead: SQL = """
        INSERT INTO user_reads (app_id, user_id, occurrence_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """
    static let deviceRead: SQL = """
        INSERT INTO device_reads (app_id, device_number, occurrence_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
        """
    static let eraseEvents: SQL = """
        DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3
        """
    static let forgetUserReads: SQL = """
        DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2 AND occurrence_id < $3
        """
    static let forgetDeviceReads: SQL = """
        DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2 AND occurrence_id < $3
        """
    static let forgetRows: SQL = """
        DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2 AND occurrence_id < $3
        """
}
