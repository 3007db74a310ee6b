import CarillonEngine
import CarillonModel

/// Partitions of a week each, on PostgreSQL. Names are made of the table's and the week's number since 1970, so that
/// nothing of anybody's is pasted into a statement.
extension SQLConnection {
    private static var week: Int64 { 7 * 86_400_000 }

    /// Makes partitions of a table for this week and those through a time, and drops those that end before another.
    ///
    /// - Returns: How many were dropped.
    func keepPartitions(of table: String, from oldest: Timestamp, through newest: Timestamp) throws(StoreError) -> Int {
        let known = try weeks(of: table)
        let open = try oldestOpenOccurrence()
        var dropped = 0
        for week in known where (week + 1) * Self.week <= oldest.rawValue {
            let end = Timestamp(rawValue: (week + 1) * Self.week).firstOccurrence
            guard end <= open ?? .max else { continue }
            try execute(script: "DROP TABLE \(table)_w\(week)")
            dropped += 1
        }
        let last = newest.rawValue / Self.week
        // Rows of this week may lie in the rest already, which must not have what a partition is made for.
        for week in max(0, last - 4)...last where !known.contains(week) {
            let bounds = (
                Timestamp(rawValue: week * Self.week).firstOccurrence,
                Timestamp(rawValue: (week + 1) * Self.week).firstOccurrence
            )
            guard try !restHas(table, bounds) else { continue }
            try execute(
                script: """
                    CREATE TABLE \(table)_w\(week) PARTITION OF \(table)
                        FOR VALUES FROM (\(bounds.0)) TO (\(bounds.1))
                    """
            )
        }
        return dropped
    }

    // MARK: - Private

    private func weeks(of table: String) throws(StoreError) -> [Int64] {
        let names = try all(
            """
            SELECT CAST(c.relname AS TEXT) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            JOIN pg_class p ON p.oid = i.inhparent
            WHERE CAST(p.relname AS TEXT) = CAST($1 AS TEXT) AND p.relnamespace = to_regnamespace(current_schema())
            """,
            table
        ) { $0.string(0) }
        return names.compactMap { name in
            name.hasPrefix(table + "_w") ? Int64(name.dropFirst(table.count + 2)) : nil
        }
    }

    private func oldestOpenOccurrence() throws(StoreError) -> Int64? {
        try first("SELECT MIN(occurrence_id) FROM waves") { $0.optionalInt64(0) } ?? nil
    }

    private func restHas(_ table: String, _ bounds: (Int64, Int64)) throws(StoreError) -> Bool {
        let found: Bool?
        if table == "deliveries" {
            found = try first(
                "SELECT 1 FROM deliveries_rest WHERE occurrence_id >= $1 AND occurrence_id < $2 LIMIT 1",
                bounds.0,
                bounds.1
            ) { _ in true }
        } else {
            found = try first(
                "SELECT 1 FROM events_rest WHERE occurrence_id >= $1 AND occurrence_id < $2 LIMIT 1",
                bounds.0,
                bounds.1
            ) { _ in true }
        }
        return found ?? false
    }
}
