package import CarillonSQL

enum ExportedDeliveryColumn: Int, SQLColumn {
    case occurrenceID, deviceNumber, pushType, outcome, at, reason

    var sql: String {
        self == .reason ? "(SELECT r.reason FROM delivery_reasons r WHERE r.code = x.reason LIMIT 1)" : name
    }
}

/// The statements of an export of a User; each one is bounded by a key and a limit.
package enum UserExportSQL {
    static let numbers: SQL = """
        SELECT number, public_id FROM devices WHERE app_id = $1 AND user_id = $2
        UNION SELECT number, public_id FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        UNION SELECT number, public_id FROM deleted_devices WHERE app_id = $1 AND user_id = $2
        ORDER BY 1 LIMIT 100000
        """
    static let devices: SQL = """
        SELECT public_id FROM devices WHERE app_id = $1 AND user_id = $2 AND number > $3 ORDER BY number LIMIT $4
        """
    static let formerDevices: SQL = """
        SELECT number, public_id, changed_at FROM former_device_numbers
        WHERE app_id = $1 AND user_id = $2 AND number > $3
        UNION ALL SELECT number, public_id, deleted_at FROM deleted_devices
        WHERE app_id = $1 AND user_id = $2 AND number > $3
        ORDER BY 1 LIMIT $4
        """
    static let callToken: SQL = """
        SELECT \(VoIPTokenColumn.list) FROM call_tokens WHERE app_id = $1 AND device_number = $2
        """
    static let consents: SQL = """
        SELECT \(ConsentColumn.list(through: .newConsent)) FROM consent_changes
        WHERE app_id = $1 AND device_number = $2 AND at > $3 ORDER BY at LIMIT $4
        """
    static let invalidTokens: SQL = """
        SELECT \(ListedTokenColumn.list) FROM invalid_tokens
        WHERE app_id = $1 AND device_number = $2 AND at > $3 ORDER BY at, push_type LIMIT $4
        """
    static let recentSends: SQL = """
        SELECT occurrence_id, at FROM recent_sends
        WHERE app_id = $1 AND device_number = $2 AND occurrence_id > $3 ORDER BY occurrence_id LIMIT $4
        """
    static let inboxRows: SQL = """
        SELECT i.occurrence_id, o.campaign_id, c.message, COALESCE(
            (SELECT 1 FROM device_reads r
                WHERE r.app_id = $1 AND r.device_number = $2 AND r.occurrence_id = i.occurrence_id LIMIT 1),
            (SELECT 1 FROM user_reads u
                WHERE u.app_id = $1 AND u.user_id = $3 AND u.occurrence_id = i.occurrence_id LIMIT 1))
        FROM inbox_rows i
        LEFT JOIN occurrences o ON o.app_id = $1 AND o.id = i.occurrence_id
        LEFT JOIN campaigns c ON c.app_id = $1 AND c.id = o.campaign_id
        WHERE i.app_id = $1 AND i.device_number = $2 AND i.occurrence_id > $4 ORDER BY i.occurrence_id LIMIT $5
        """
    static let deviceReads: SQL = """
        SELECT occurrence_id FROM device_reads
        WHERE app_id = $1 AND device_number = $2 AND occurrence_id > $3 ORDER BY occurrence_id LIMIT $4
        """
    static let userReads: SQL = """
        SELECT occurrence_id FROM user_reads
        WHERE app_id = $1 AND user_id = $2 AND occurrence_id > $3 ORDER BY occurrence_id LIMIT $4
        """
    /// What became of what went to some numbers in some Occurrences.
    static let deliveries: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(ExportedDeliveryColumn.list(of: "x"))
        FROM json_each($1) o CROSS JOIN json_each($2) n
        CROSS JOIN deliveries x ON x.app_id = $3 AND x.occurrence_id = o.value AND x.device_number = n.value
        """,
        """
        SELECT \(ExportedDeliveryColumn.list(of: "x"))
        FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS o (value)
        CROSS JOIN unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT * FROM deliveries y WHERE y.app_id = $3 AND y.occurrence_id = o.value AND y.device_number = n.value
            LIMIT 100) AS x
        """
    )
    static let retries: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT x.occurrence_id, x.device_number, x.due_at
        FROM json_each($1) o CROSS JOIN json_each($2) n
        CROSS JOIN retries x ON x.app_id = $3 AND x.occurrence_id = o.value AND x.device_number = n.value
        """,
        """
        SELECT x.occurrence_id, x.device_number, x.due_at
        FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS o (value)
        CROSS JOIN unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT * FROM retries y WHERE y.app_id = $3 AND y.occurrence_id = o.value AND y.device_number = n.value
            LIMIT 100) AS x
        """
    )
    static let events: (sqlite: SQL, postgreSQL: SQL) = (
        """
        SELECT \(EventColumn.list(of: "x"))
        FROM json_each($1) o CROSS JOIN json_each($2) n
        CROSS JOIN events x ON x.app_id = $3 AND x.occurrence_id = o.value AND x.device_number = n.value
        """,
        """
        SELECT \(EventColumn.list(of: "x"))
        FROM unnest(CAST(CAST($1 AS TEXT) AS BIGINT[])) AS o (value)
        CROSS JOIN unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value)
        CROSS JOIN LATERAL (
            SELECT * FROM events y WHERE y.app_id = $3 AND y.occurrence_id = o.value AND y.device_number = n.value
            LIMIT 100) AS x
        """
    )
    static let campaignOfOccurrence: SQL = "SELECT campaign_id FROM occurrences WHERE app_id = $1 AND id = $2"

    /// All that read, on SQLite, for a test of how they find their rows.
    package static let reading: [SQL] = [
        numbers, devices, formerDevices, callToken, consents, invalidTokens, recentSends, inboxRows, deviceReads,
        userReads, deliveries.sqlite, retries.sqlite, events.sqlite, campaignOfOccurrence,
    ]
}
