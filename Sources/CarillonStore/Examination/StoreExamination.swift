package import CarillonEngine
package import CarillonModel
package import CarillonSQL

/// Whether a store is as it should be; nothing is changed.
package struct StoreExamination: Hashable, Sendable {
    /// A partitioned table.
    package struct Partitions: Hashable, Sendable {
        package var table: String
        /// The weeks through three weeks from now that have no partition, as `deliveries_w2913`.
        package var missing: [String]
        /// The size of the default partition in bytes, and whether it has rows.
        package var defaultSize: Int64
        package var hasDefaultRows: Bool
        /// Whether the constraint is there by which weeks are attached: maintenance was cut off.
        package var hasConstraint: Bool

        package init(
            table: String,
            missing: [String],
            defaultSize: Int64,
            hasDefaultRows: Bool,
            hasConstraint: Bool
        ) {
            self.table = table
            self.missing = missing
            self.defaultSize = defaultSize
            self.hasDefaultRows = hasDefaultRows
            self.hasConstraint = hasConstraint
        }
    }

    /// Steps of the schema that are not done, and those that this version does not know.
    package var missingSteps: [String] = []
    package var unknownSteps: [String] = []
    /// Whether a version before the first release made the schema, which no version brings up to date.
    package var isPreRelease = false
    /// Indexes that an import left behind.
    package var missingIndexes: [String] = []
    /// Whether the schema was made at all.
    package var isEmpty = false
    /// Whether the file was moved to PostgreSQL, and no server may use it any more.
    package var wasMoved = false
    /// Empty where tables have no partitions.
    package var partitions: [Partitions] = []
    /// Whether there are Users whose erasure is not over.
    package var hasErasures = false

    /// A store in which nothing is missing.
    package init() {}

    /// Looks at a database, beside the servers that use it.
    ///
    /// - Parameters:
    ///   - database: An open database.
    ///   - now: The wall clock.
    /// - Throws: ``StoreError``.
    package init(of database: any Database, at now: Timestamp) async throws(StoreError) {
        try setSteps(await database.appliedMigrations())
        guard missingSteps.isEmpty else { return }
        missingIndexes = try await database.read { connection in
            try DeviceIndexes.missing(connection).map(\.name)
        }
        hasErasures = try await database.read { connection in
            try connection.first("SELECT 1 FROM user_erasures LIMIT 1") { _ in true } ?? false
        }
        guard database.dialect == .postgreSQL else { return }
        for table in RetentionSubject.partitioned.compactMap(\.partitionedTable) {
            partitions.append(
                try await database.read { connection in
                    try connection.examination.examinePartitions(of: table, at: now)
                }
            )
        }
    }

    /// Looks at an SQLite file, beside the server that has it open.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``StoreError``.
    package init(ofFile path: String) throws(StoreError) {
        let source = try TransferSource(path: path)
        try setSteps(source.steps())
        guard missingSteps.isEmpty else { return }
        for index in DeviceIndexes.all(.sqlite) {
            let count = try source.number(
                "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name = '\(index.name)'"
            )
            if count == 0 { missingIndexes.append(index.name) }
        }
        hasErasures = try source.number("SELECT count(*) FROM (SELECT 1 FROM user_erasures LIMIT 1)") > 0
    }

    private mutating func setSteps(_ applied: [String]) {
        let known = Migration.all.map(\.name)
        missingSteps = known.filter { !applied.contains($0) }
        unknownSteps = applied.filter { !known.contains($0) }.sorted()
        isEmpty = applied.isEmpty
        isPreRelease = !isEmpty && !applied.contains(Migration.baseline.name)
        wasMoved = applied.contains(PostgreSQLMigration.mark)
    }
}

extension ExaminationQueries {
    fileprivate func examinePartitions(
        of table: String,
        at now: Timestamp
    ) throws -> StoreExamination.Partitions {
        let layout = try connection.retention.partitionLayout(of: table)
        let this = WeekPartition.week(of: now)
        let last = WeekPartition.week(of: now.advanced(by: .seconds(86_400 * Retention.Options().daysAhead)))
        let hasRows: Bool?
        if table == "deliveries" {
            hasRows = try connection.first("SELECT 1 FROM deliveries_rest LIMIT 1") { _ in true }
        } else {
            hasRows = try connection.first("SELECT 1 FROM events_rest LIMIT 1") { _ in true }
        }
        return StoreExamination.Partitions(
            table: table,
            missing: (this...last).filter { !layout.attached.contains($0) }.map {
                WeekPartition(table: table, week: $0).name
            },
            defaultSize: layout.defaultSize,
            hasDefaultRows: hasRows ?? false,
            hasConstraint: layout.hasConstraint
        )
    }
}
