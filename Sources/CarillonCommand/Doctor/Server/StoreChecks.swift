import CarillonEngine
import CarillonModel
import CarillonStore

extension [ServerFinding] {
    /// The findings for the schema and the tables' layout.
    static func schema(_ examination: StoreExamination) -> Self {
        if examination.wasMoved {
            return [
                .problem(
                    .schema,
                    "The file was moved to PostgreSQL, and no server may use it any more.",
                    "Name that database with --database or CARILLON_DATABASE."
                )
            ]
        }
        if examination.isPreRelease {
            return [
                .problem(
                    .schema,
                    "A version before the first release made the schema.",
                    "Export the Devices with that version, and import them into an empty database."
                )
            ]
        }
        if let step = examination.unknownSteps.first {
            return [
                .problem(
                    .schema,
                    "A newer version has the migration \"\(step)\".",
                    "Run that version, or a newer one; this one refuses to start."
                )
            ]
        }
        if examination.isEmpty {
            return [.warning(.schema, "The store is empty.", "The first start of carillon serve creates its tables.")]
        }
        if let first = examination.missingSteps.first {
            let count = examination.missingSteps.count
            return [
                .warning(
                    .schema,
                    "The schema is behind by \(count) step\(count == 1 ? "" : "s"), from \"\(first)\" on.",
                    "Back the store up, stop all nodes, and start this version: it makes them. Then look again."
                )
            ]
        }
        return [.ok(.schema, "It is this version's.")] + indexes(examination) + partitions(examination)
    }

    private static func indexes(_ examination: StoreExamination) -> Self {
        guard !examination.missingIndexes.isEmpty else { return [.ok(.indexes, "The indexes of devices are there.")] }
        return [
            .problem(
                .indexes,
                "Indexes of devices are missing: \(examination.missingIndexes.joined(separator: ", ")).",
                "An import is running or was cut off; the next start of carillon serve builds them."
            )
        ]
    }

    private static func partitions(_ examination: StoreExamination) -> Self {
        examination.partitions.map { table in
            if !table.missing.isEmpty {
                return .problem(
                    .partitions,
                    "\(table.table): weeks have no partition: \(table.missing.joined(separator: ", ")).",
                    "Look in pg_stat_activity for long transactions, such as a dump; nodes try again every five minutes."
                )
            }
            if table.hasDefaultRows {
                return .warning(
                    .partitions,
                    "\(table.table): the default partition has rows, in \(table.defaultSize >> 20) MiB.",
                    "They are dropped row by row when they are too old; nothing needs to be done."
                )
            }
            return .ok(.partitions, "\(table.table): the weeks to come have their partitions.")
        }
    }

    /// Checks that old rows are deleted.
    static func retention(_ examination: RetentionExamination) -> Self {
        guard let first = examination.overdue.first else { return [.ok(.retention, "No deliveries are overdue.")] }
        let others = examination.overdue.count - 1
        return [
            .warning(
                .retention,
                "\(first.app)\(others > 0 ? " and \(others) more" : "") keeps deliveries of \(first.oldest), "
                    + "which its days say to drop.",
                "Look in the log for retention, and at carillon_retention_failures_total; a node must run for a minute."
            )
        ]
    }
}

extension ServerFinding {
    /// Checks whether the store is a restored backup that no server has used.
    static func restore(backupAt: Timestamp?) -> ServerFinding {
        guard let backupAt else { return .ok(.restore, "The store is no copy that waits for its first start.") }
        return .warning(
            .restore,
            "The store is a copy of \(backupAt) that no server has started on.",
            "The first start pauses campaigns that were due since; carillon serve --hold sends nothing at all."
        )
    }

    /// Reports whether this node is configured to send nothing.
    static func hold(_ holdsBack: Bool) -> ServerFinding {
        guard holdsBack else { return .ok(.hold, "This node is not on hold.") }
        return .warning(
            .hold,
            "This node is on hold: it sends nothing, including webhooks, and deletes no old rows.",
            "Start it without --hold (CARILLON_HOLD, hold) to send."
        )
    }
}
