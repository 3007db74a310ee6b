package import CarillonSQL

/// The statements of retention for rows that lie in the order of Occurrences.
///
/// A scan begins at the cursor and ends at the step's last row, so that a step in a large Occurrence reads its own rows
/// alone. What finds the last row has a row value as its lower bound: beside `occurrence_id >= $2` a database may begin at
/// the Occurrence's first row. What deletes names one Occurrence and bounds the next column by itself: PostgreSQL ends no
/// scan at a row value whose first column is equal, and would read on to the end of the Occurrence.
package enum RetentionSQL {
    static let nextOpen: SQL = """
        SELECT MIN(occurrence_id) FROM waves WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id < $3
        """

    package static let lastDelivery: SQL = """
        SELECT occurrence_id, device_number, push_type FROM deliveries
        WHERE app_id = $1 AND (occurrence_id, device_number, push_type) > ($2, $3, $4) AND occurrence_id < $5
        ORDER BY occurrence_id, device_number, push_type LIMIT 1 OFFSET $6
        """
    package static let dropDeliveries: SQL = """
        DELETE FROM deliveries
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number >= $3 AND device_number <= $4
            AND (device_number, push_type) > ($3, $5) AND (device_number, push_type) <= ($4, $6)
        """
    package static let dropWholeDeliveries: SQL = """
        DELETE FROM deliveries WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id < $3
        """

    package static let lastEvent: SQL = """
        SELECT occurrence_id, device_number FROM events
        WHERE app_id = $1 AND (occurrence_id, device_number) > ($2, $3) AND occurrence_id < $4
        ORDER BY occurrence_id, device_number LIMIT 1 OFFSET $5
        """
    package static let dropEvents: SQL = """
        DELETE FROM events
        WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
        """
    package static let dropWholeEvents: SQL = """
        DELETE FROM events WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id < $3
        """

    package static let lastCampaignMinute: SQL = """
        SELECT occurrence_id, bucket FROM statistics_by_occurrence
        WHERE app_id = $1 AND (occurrence_id, bucket) > ($2, $3) AND occurrence_id < $4
        ORDER BY occurrence_id, bucket LIMIT 1 OFFSET $5
        """
    package static let dropCampaignMinutes: SQL = """
        DELETE FROM statistics_by_occurrence
        WHERE app_id = $1 AND occurrence_id = $2 AND bucket > $3 AND bucket <= $4
        """
    package static let dropWholeCampaignMinutes: SQL = """
        DELETE FROM statistics_by_occurrence WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id < $3
        """

    static let lastBroadcast: SQL = """
        SELECT occurrence_id FROM inbox_broadcasts
        WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id < $3 ORDER BY occurrence_id LIMIT 1 OFFSET $4
        """
    static let dropBroadcasts: SQL = """
        DELETE FROM inbox_broadcasts WHERE app_id = $1 AND occurrence_id > $2 AND occurrence_id <= $3
        """

    package static let lastMinute: SQL = """
        SELECT bucket FROM statistics_by_time
        WHERE app_id = $1 AND unit = $2 AND bucket > $3 AND bucket < $4 ORDER BY bucket LIMIT 1 OFFSET $5
        """
    package static let dropMinutes: SQL = """
        DELETE FROM statistics_by_time WHERE app_id = $1 AND unit = $2 AND bucket > $3 AND bucket < $4 AND bucket <= $5
        """

    /// All whose cost must not depend on where a step begins, for a test of how they find their rows.
    package static let steps: [SQL] = [
        lastDelivery, dropDeliveries, dropWholeDeliveries, lastEvent, dropEvents, dropWholeEvents, lastCampaignMinute,
        dropCampaignMinutes, dropWholeCampaignMinutes, lastMinute, dropMinutes,
    ]
}
