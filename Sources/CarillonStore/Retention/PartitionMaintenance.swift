import CarillonEngine
import CarillonModel
import CarillonSQL

/// Makes and drops the weeks of one table, beside those who use it.
///
/// Attaching a week has PostgreSQL look through the default partition, under a lock that nobody passes. So a default
/// partition that is not small gets a constraint first, checked beside everybody else, which says that it has nothing of
/// the weeks to come; then attaching looks at nothing. While that constraint is there a row of these weeks is refused, so
/// only weeks that begin in some days are attached by it.
struct PartitionMaintenance: Sendable {
    /// Up to this size the default partition is looked through under the lock: it takes milliseconds.
    static let smallDefault: Int64 = 8 << 20
    /// How long before its begin a week may be attached by a constraint.
    static let constraintLead = Duration.seconds(2 * 86_400)

    let session: any MaintenanceSession
    let table: String
    var smallDefault = Self.smallDefault
    /// Whether it may look through a large default partition, which takes minutes.
    var mayValidate = true

    static func constraint(of table: String) -> String { "\(table)_rest_has_no_weeks_ahead" }

    // MARK: - Making

    /// Makes the weeks from one through another that are missing.
    ///
    /// - Returns: What was made, and what is missing since rows or other transactions are in the way.
    func make(_ weeks: ClosedRange<Int64>, at now: Timestamp) async throws(StoreError) -> PartitionReport {
        var report = PartitionReport()
        let layout = try await layout()
        if layout.hasConstraint { try await dropConstraint() }
        let missing = weeks.filter { !layout.attached.contains($0) }
        guard !missing.isEmpty else { return report }
        let soon = WeekPartition.week(of: now.advanced(by: Self.constraintLead))
        let isSmall = layout.defaultSize <= smallDefault
        let direct = isSmall ? missing : []
        let ahead = isSmall || !mayValidate ? [] : missing.filter { $0 > soon }
        var made: Set<Int64> = []
        for week in direct {
            if try await attach(WeekPartition(table: table, week: week)) { made.insert(week) }
        }
        made.formUnion(try await attachAhead(ahead))
        report.made = made.count
        report.missing = missing.filter { !made.contains($0) }.map { WeekPartition(table: table, week: $0).name }
        return report
    }

    /// Attaches a week to a table whose default partition is small, or is known to have nothing of it.
    ///
    /// - Returns: False when rows are in the way, or other transactions for too long.
    private func attach(_ partition: WeekPartition, isKnownToBeFree: Bool = false) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await session.transaction { connection in
                try connection.lock(.schema)
                let layout = try connection.retention.partitionLayout(of: partition.table)
                guard !layout.attached.contains(partition.week) else { return true }
                if !isKnownToBeFree, try connection.retention.defaultPartitionHasRows(of: partition) { return false }
                try connection.execute(
                    script: """
                        CREATE TABLE IF NOT EXISTS \(partition.name) (LIKE \(partition.table) INCLUDING ALL);
                        ALTER TABLE \(partition.table) ATTACH PARTITION \(partition.name)
                            FOR VALUES FROM (\(partition.firstOccurrence)) TO (\(partition.endOccurrence))
                        """
                )
                return true
            }
        } catch {
            // Somebody was in the way for all of the patience: the next round tries again.
            guard case .unavailable = error else { throw error }
            return false
        }
    }

    /// Attaches weeks by a constraint of the default partition.
    ///
    /// - Returns: Those that are attached.
    private func attachAhead(_ weeks: [Int64]) async throws(StoreError) -> [Int64] {
        guard let first = weeks.min(), let last = weeks.max() else { return [] }
        let begin = WeekPartition(table: table, week: first).firstOccurrence
        let end = WeekPartition(table: table, week: last).endOccurrence
        let constraint = Self.constraint(of: table)
        var made: [Int64] = []
        var failure: StoreError?
        do throws(StoreError) {
            try await execute(
                """
                ALTER TABLE \(table)_rest ADD CONSTRAINT \(constraint)
                    CHECK (occurrence_id < \(begin) OR occurrence_id >= \(end)) NOT VALID
                """
            )
            try await execute("ALTER TABLE \(table)_rest VALIDATE CONSTRAINT \(constraint)")
            for week in weeks {
                let partition = WeekPartition(table: table, week: week)
                guard try await attach(partition, isKnownToBeFree: true) else { break }
                made.append(week)
            }
        } catch {
            failure = error
        }
        // It must not be there when its weeks begin.
        try await dropConstraint()
        if let failure, case .failed = failure { throw failure }
        return made
    }

    private func dropConstraint() async throws(StoreError) {
        try await execute("ALTER TABLE \(table)_rest DROP CONSTRAINT IF EXISTS \(Self.constraint(of: table))")
    }

    // MARK: - Dropping

    /// Drops the weeks that end before a time, but for those that have rows of Occurrences that are not over.
    func drop(before oldest: Timestamp) async throws(StoreError) -> DroppedPartitions {
        var report = DroppedPartitions()
        let layout = try await layout()
        for week in layout.detached.sorted() {
            let partition = WeekPartition(table: table, week: week)
            if partition.end <= oldest { try await execute("DROP TABLE IF EXISTS \(partition.name)") }
        }
        let old = layout.attached.sorted().map { WeekPartition(table: table, week: $0) }.filter { $0.end <= oldest }
        for (place, partition) in old.enumerated() {
            do throws(StoreError) {
                if try await drop(partition) { report.dropped += 1 } else { report.held += 1 }
            } catch {
                guard case .unavailable = error else { throw error }
                // Whoever is in the way of one is in the way of the others.
                report.pending = old.count - place
                return report
            }
        }
        return report
    }

    /// Detaches a week, then drops it: its files are removed when nobody waits any more.
    ///
    /// - Returns: False when it has rows of an Occurrence that is not over.
    private func drop(_ partition: WeekPartition) async throws(StoreError) -> Bool {
        let isDetached = try await session.transaction { connection in
            try connection.lock(.schema)
            guard try !connection.retention.hasRowsOfOpenOccurrences(partition) else { return false }
            try connection.execute(script: "ALTER TABLE \(partition.table) DETACH PARTITION \(partition.name)")
            return true
        }
        guard isDetached else { return false }
        try await execute("DROP TABLE IF EXISTS \(partition.name)")
        return true
    }

    // MARK: - Private

    private func layout() async throws(StoreError) -> PartitionLayout {
        try await session.transaction { [table] connection in
            try connection.retention.partitionLayout(of: table)
        }
    }

    private func execute(_ statement: String) async throws(StoreError) {
        try await session.transaction { connection in
            try connection.lock(.schema)
            try connection.execute(script: statement)
        }
    }
}
