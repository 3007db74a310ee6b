package import CarillonSQL

/// The columns of a delivery that is listed.
enum LoggedDeliveryColumn: Int, SQLColumn { case occurrenceID, deviceNumber, pushType, outcome, reason, at }

/// The statements of the message log; each is bounded by a key and a limit.
///
/// Deliveries have no index by Device, which would cost every one of them a page write: they are found firing by firing,
/// and how many firings one read looks at is bounded.
package enum MessageLogSQL {
    static let numbersOfDevice: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND public_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND public_id = $2
        ORDER BY 1 DESC LIMIT $3
        """
    static let numbersOfUser: SQL = """
        SELECT number FROM devices WHERE app_id = $1 AND user_id = $2
        UNION ALL SELECT number FROM former_device_numbers WHERE app_id = $1 AND user_id = $2
        ORDER BY 1 DESC LIMIT $3
        """
    /// The oldest firing that one read looks at.
    static let lastOfApp: SQL = """
        SELECT id FROM occurrences WHERE app_id = $1 AND id <= $2 AND id >= $3 ORDER BY id DESC LIMIT 1 OFFSET $4
        """
    static let ofApp: SQL = """
        SELECT \(LoggedDeliveryColumn.list(of: "x"))
        FROM (SELECT id FROM occurrences WHERE app_id = $1 AND id <= $2 AND id >= $3 ORDER BY id DESC LIMIT $4) AS o
        JOIN deliveries x ON x.app_id = $1 AND x.occurrence_id = o.id AND x.device_number = $5
        ORDER BY o.id DESC, x.push_type LIMIT $6
        """
    static let ofCampaign: SQL = """
        SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id = $2 AND id <= $3 AND id >= $4
        ORDER BY id DESC LIMIT $5
        """
    /// The App's firings that have failures, by their counts, which change with the deliveries; no test sends.
    static let failedOfApp: SQL = """
        SELECT o.id FROM occurrences o
        WHERE o.app_id = $1 AND o.id <= $2 AND o.id >= $3
            AND EXISTS (
                SELECT 1 FROM statistics_by_occurrence s
                WHERE s.app_id = $1 AND s.occurrence_id = o.id AND (s.kind IN (2, 4) OR s.kind = 3 AND s.reason = (
                    SELECT r.code FROM delivery_reasons r WHERE r.reason = 'DuplicateMessage')))
            AND EXISTS (
                SELECT 1 FROM campaigns c
                WHERE c.app_id = $1 AND c.id = o.campaign_id AND c.kind = 0 AND c.is_test = 0)
        ORDER BY o.id DESC LIMIT $4
        """
    static let ofDevice: SQL = """
        SELECT \(LoggedDeliveryColumn.list) FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 ORDER BY push_type
        """
    static let ofEverybody: SQL = """
        SELECT \(LoggedDeliveryColumn.list) FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND (device_number, push_type) > ($3, $4)
        ORDER BY device_number, push_type LIMIT $5
        """
    /// The last delivery of those that one read looks at for failures.
    static let windowEnd: SQL = """
        SELECT device_number, push_type FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND (device_number, push_type) > ($3, $4)
        ORDER BY device_number, push_type LIMIT 1 OFFSET $5
        """
    static let failures: SQL = """
        SELECT \(LoggedDeliveryColumn.list) FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND (device_number, push_type) > ($3, $4)
            AND (device_number, push_type) <= ($5, $6) AND (outcome IN (2, 4) OR outcome = 3 AND reason = (
                SELECT r.code FROM delivery_reasons r WHERE r.reason = 'DuplicateMessage'))
        ORDER BY device_number, push_type LIMIT $7
        """
    static let names: SQL = """
        SELECT o.campaign_id, COALESCE(
            (SELECT public_id FROM devices d WHERE d.app_id = $1 AND d.number = $2),
            (SELECT public_id FROM former_device_numbers f WHERE f.app_id = $1 AND f.number = $2)),
            (SELECT reason FROM delivery_reasons r WHERE r.code = $3),
            COALESCE((SELECT kind FROM campaigns c WHERE c.app_id = $1 AND c.id = o.campaign_id), 0)
        FROM occurrences o WHERE o.app_id = $1 AND o.id = $4
        """
    static let events: SQL = """
        SELECT kind, action, occurred_at FROM events
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number = $3 ORDER BY kind, action LIMIT 32
        """

    /// All of them, for a test of how they find their rows.
    package static let all: [SQL] = [
        numbersOfDevice, numbersOfUser, lastOfApp, ofApp, ofCampaign, failedOfApp, ofDevice, ofEverybody, windowEnd,
        failures, names, events,
    ]
}
