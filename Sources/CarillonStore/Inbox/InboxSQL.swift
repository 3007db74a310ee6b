package import CarillonSQL

enum InboxReaderColumn: Int, SQLColumn {
    case number, secretHash, userID, language, identity

    var sql: String { self == .identity ? "a.identity" : name }
}

enum InboxContentColumn: Int, SQLColumn {
    case id, campaignID, startedAt, message, isAd, content

    var sql: String {
        switch self {
        case .id, .campaignID, .startedAt: "o.\(name)"
        case .message, .isAd, .content: "c.\(name)"
        }
    }
}

/// The statements of inboxes; every one that reads is bounded by a key or a limit.
package enum InboxSQL {
    static let reader: SQL = """
        SELECT \(InboxReaderColumn.list(of: "d"))
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
    /// The latest rows of each of some numbers.
    static let rows: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT i.occurrence_id, i.device_number FROM json_each($1) n
        CROSS JOIN inbox_rows i ON i.app_id = $2 AND i.device_number = n.value AND i.occurrence_id IN (
            SELECT x.occurrence_id FROM inbox_rows x
            WHERE x.app_id = $2 AND x.device_number = n.value AND x.occurrence_id >= $3
            ORDER BY x.occurrence_id DESC LIMIT $4)
        """,
        """
        SELECT i.occurrence_id, n.value FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT x.occurrence_id FROM inbox_rows x
            WHERE x.app_id = $2 AND x.device_number = n.value AND x.occurrence_id >= $3
            ORDER BY x.occurrence_id DESC LIMIT $4) AS i
        """
    )
    /// The next broadcasts, newest first, each with a number among some that got it, the largest one for the first of
    /// them; 1 is `Delivery.Outcome.accepted`.
    static let broadcasts: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT b.occurrence_id, (
            SELECT MAX(CASE WHEN d.device_number = $1 THEN 9223372036854775807 ELSE d.device_number END)
            FROM deliveries d WHERE d.app_id = $2 AND d.occurrence_id = b.occurrence_id
                AND d.device_number IN (SELECT value FROM json_each($3)) AND d.outcome = 1)
        FROM inbox_broadcasts b WHERE b.app_id = $2 AND b.occurrence_id >= $4 AND b.occurrence_id < $5
        ORDER BY b.occurrence_id DESC LIMIT $6
        """,
        """
        SELECT b.occurrence_id, (
            SELECT MAX(CASE WHEN d.device_number = $1 THEN 9223372036854775807 ELSE d.device_number END)
            FROM deliveries d WHERE d.app_id = $2 AND d.occurrence_id = b.occurrence_id
                AND d.device_number = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[])))) AND d.outcome = 1)
        FROM inbox_broadcasts b WHERE b.app_id = $2 AND b.occurrence_id >= $4 AND b.occurrence_id < $5
        ORDER BY b.occurrence_id DESC LIMIT $6
        """
    )
    /// Which of some Occurrences a User read.
    static let userReads: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT occurrence_id FROM user_reads WHERE app_id = $1 AND user_id = $2
            AND occurrence_id IN (SELECT value FROM json_each($3))
        """,
        """
        SELECT occurrence_id FROM user_reads WHERE app_id = $1 AND user_id = $2
            AND occurrence_id = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[]))))
        """
    )
    /// Which of some Occurrences were read on one of some numbers.
    static let deviceReads: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT r.occurrence_id FROM json_each($1) n
        CROSS JOIN device_reads r ON r.app_id = $2 AND r.device_number = n.value
            AND r.occurrence_id IN (SELECT value FROM json_each($3))
        """,
        """
        SELECT r.occurrence_id FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT x.occurrence_id FROM device_reads x WHERE x.app_id = $2 AND x.device_number = n.value
                AND x.occurrence_id = ANY(ARRAY(SELECT unnest(CAST(CAST($3 AS TEXT) AS BIGINT[]))))
            OFFSET 0) AS r
        """
    )
    /// The latest broadcasts to every Device; of several groups the first.
    static let history: SQL = """
        SELECT b.occurrence_id FROM (
            SELECT occurrence_id FROM inbox_broadcasts WHERE app_id = $1 AND occurrence_id >= $2
            ORDER BY occurrence_id DESC LIMIT $3
        ) AS b
        JOIN occurrences o ON o.app_id = $1 AND o.id = b.occurrence_id AND o.part = 0
        JOIN campaigns c ON c.app_id = $1 AND c.id = o.campaign_id AND c.audience = $4
        ORDER BY b.occurrence_id DESC
        """
    static let contents: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(InboxContentColumn.list)
        FROM json_each($1) n CROSS JOIN occurrences o ON o.app_id = $2 AND o.id = n.value
        JOIN campaigns c ON c.app_id = $2 AND c.id = o.campaign_id
        """,
        """
        SELECT \(InboxContentColumn.list)
        FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (SELECT * FROM occurrences x WHERE x.app_id = $2 AND x.id = n.value LIMIT 1) o
        CROSS JOIN LATERAL (SELECT * FROM campaigns x WHERE x.app_id = $2 AND x.id = o.campaign_id LIMIT 1) c
        """
    )

    static let allOfDevice: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND public_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND public_id = $2
        """
    /// Those of deleted Devices too: what they reported is still kept under their numbers.
    static let allOfUser: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT number FROM deleted_devices WHERE app_id = $1 AND user_id = $2
        """

    static let nextOccurrences: SQL = """
        SELECT id FROM occurrences WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
        """
    /// Where some numbers have events in some Occurrences.
    static let eventPlaces: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT o.value, n.value FROM json_each($1) o CROSS JOIN json_each($2) n
        WHERE EXISTS (
            SELECT 1 FROM events e WHERE e.app_id = $3 AND e.occurrence_id = o.value AND e.device_number = n.value)
        """,
        """
        SELECT o.value, n.value FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS o (value)
        CROSS JOIN unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT 1 FROM events e WHERE e.app_id = $3 AND e.occurrence_id = o.value AND e.device_number = n.value
            LIMIT 1) AS found
        """
    )

    /// All that read, on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [
        reader, devicesOfUser, formerOfUser, formerOfDevice, rows.sqlite, broadcasts.sqlite, userReads.sqlite,
        deviceReads.sqlite, contents.sqlite, allOfDevice, allOfUser, nextOccurrences, eventPlaces.sqlite,
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
