import CarillonEngine
import CarillonModel
import CarillonSQL

/// A week of a table that is partitioned by Occurrence: `deliveries_w2913`, by the week's number since 1970.
///
/// Names are made of the table's and the week's number, so that nothing of anybody's is pasted into a statement.
struct WeekPartition: Hashable, Sendable {
    static let length: Int64 = 7 * 86_400_000

    /// `deliveries` or `events`.
    var table: String
    var week: Int64

    init(table: String, week: Int64) {
        self.table = table
        self.week = week
    }

    /// Reads a partition's name; `nil` for another table's, and for that of the default partition.
    init?(table: String, name: String) {
        let prefix = table + "_w"
        guard name.hasPrefix(prefix), let week = Int64(name.dropFirst(prefix.count)) else { return nil }
        self.init(table: table, week: week)
    }

    /// The week that a time lies in.
    static func week(of time: Timestamp) -> Int64 { time.rawValue / length }

    var name: String { "\(table)_w\(week)" }
    var begin: Timestamp { Timestamp(rawValue: week * Self.length) }
    var end: Timestamp { Timestamp(rawValue: (week + 1) * Self.length) }
    var firstOccurrence: Int64 { begin.firstOccurrence }
    /// The first Occurrence of the next week.
    var endOccurrence: Int64 { end.firstOccurrence }
}

extension RetentionSubject {
    /// The table that has partitions; `nil` for what has none.
    var partitionedTable: String? {
        switch self {
        case .deliveries: "deliveries"
        case .events: "events"
        default: nil
        }
    }
}

/// What a partitioned table consists of.
struct PartitionLayout: Sendable {
    /// The weeks that are attached.
    var attached: Set<Int64> = []
    /// The weeks whose tables are there and not attached: maintenance was cut off.
    var detached: Set<Int64> = []
    /// How large the default partition is, in bytes.
    var defaultSize: Int64 = 0
    /// Whether the default partition still has the constraint by which weeks are attached.
    var hasConstraint = false
}

extension RetentionQueries {
    /// Looks at a table's partitions; on PostgreSQL alone.
    ///
    /// The size of the default partition waits for whoever has locked it.
    func partitionLayout(of table: String) throws -> PartitionLayout {
        var layout = try partitionWeeks(of: table)
        layout.defaultSize =
            try connection.first(
                "SELECT COALESCE(pg_relation_size(to_regclass($1)), 0)",
                table + "_rest",
                as: Int64.self
            ) ?? 0
        layout.hasConstraint =
            try connection.first(
                "SELECT 1 FROM pg_constraint WHERE conrelid = to_regclass($1) AND CAST(conname AS TEXT) = $2 LIMIT 1",
                table + "_rest",
                PartitionMaintenance.constraint(of: table)
            ) { _ in true } ?? false
        return layout
    }

    /// The weeks of a table alone, which waits for nobody.
    func partitionWeeks(of table: String) throws -> PartitionLayout {
        var layout = PartitionLayout()
        let tables = try connection.all(
            """
            SELECT CAST(c.relname AS TEXT), CASE WHEN c.relispartition THEN 1 ELSE 0 END FROM pg_class c
            WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind = 'r'
                AND CAST(c.relname AS TEXT) LIKE CAST($1 AS TEXT) LIMIT 10000
            """,
            table + "\\_w%",
            as: (String, Bool).self
        )
        for (name, isAttached) in tables {
            guard let partition = WeekPartition(table: table, name: name) else { continue }
            if isAttached {
                layout.attached.insert(partition.week)
            } else {
                layout.detached.insert(partition.week)
            }
        }
        return layout
    }

    /// Whether the default partition has rows of a week, of any App.
    func defaultPartitionHasRows(of partition: WeekPartition) throws -> Bool {
        let found: Bool?
        if partition.table == "deliveries" {
            found = try connection.first(
                """
                SELECT 1 FROM (SELECT id FROM apps UNION ALL SELECT id FROM deleted_apps WHERE finished_at IS NULL) a
                WHERE EXISTS (SELECT 1 FROM deliveries_rest d
                    WHERE d.app_id = a.id AND d.occurrence_id >= $1 AND d.occurrence_id < $2) LIMIT 1
                """,
                partition.firstOccurrence,
                partition.endOccurrence
            ) { _ in true }
        } else {
            found = try connection.first(
                """
                SELECT 1 FROM (SELECT id FROM apps UNION ALL SELECT id FROM deleted_apps WHERE finished_at IS NULL) a
                WHERE EXISTS (SELECT 1 FROM events_rest e
                    WHERE e.app_id = a.id AND e.occurrence_id >= $1 AND e.occurrence_id < $2) LIMIT 1
                """,
                partition.firstOccurrence,
                partition.endOccurrence
            ) { _ in true }
        }
        return found ?? false
    }

    /// Whether a week has rows of an Occurrence that is not over: they keep it from being sent again.
    func hasRowsOfOpenOccurrences(_ partition: WeekPartition) throws -> Bool {
        let found: Bool?
        if partition.table == "deliveries" {
            found = try connection.first(
                """
                SELECT 1 FROM waves w WHERE w.occurrence_id >= $1 AND w.occurrence_id < $2
                    AND EXISTS (SELECT 1 FROM deliveries d
                        WHERE d.app_id = w.app_id AND d.occurrence_id = w.occurrence_id) LIMIT 1
                """,
                partition.firstOccurrence,
                partition.endOccurrence
            ) { _ in true }
        } else {
            found = try connection.first(
                """
                SELECT 1 FROM waves w WHERE w.occurrence_id >= $1 AND w.occurrence_id < $2
                    AND EXISTS (SELECT 1 FROM events e
                        WHERE e.app_id = w.app_id AND e.occurrence_id = w.occurrence_id) LIMIT 1
                """,
                partition.firstOccurrence,
                partition.endOccurrence
            ) { _ in true }
        }
        return found ?? false
    }
}
