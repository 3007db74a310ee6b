package import CarillonModel

/// An import of a file, over or not.
package struct ContentImportRun: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case running
        /// The new version is there, or nothing had changed.
        case completed
        /// The file was refused, or the import ended too early; the last good version stays.
        case failed
    }

    /// What an import did to one table.
    package struct TableChanges: Hashable, Sendable, Codable {
        package var name: String
        /// Rows that are new.
        package var imported: Int
        /// Rows whose values differ.
        package var changed: Int
        /// Rows that the file no longer has.
        package var gone: Int
        /// Rows of the table now.
        package var rows: Int

        package init(name: String, imported: Int, changed: Int, gone: Int, rows: Int) {
            self.name = name
            self.imported = imported
            self.changed = changed
            self.gone = gone
            self.rows = rows
        }

        /// Whether the new version differs from the last one.
        package var isChange: Bool { imported + changed + gone > 0 }
    }

    package var id: ContentImportID
    package var format: ContentFormat
    /// The table that a file of one table fills; `nil` for formats that fill tables of their own.
    package var table: String?
    /// The source that it was fetched from; `nil` for a file that was sent.
    package var source: String?
    package var state: State
    package var startedAt: Timestamp
    /// Its last sign of life; `nil` when it is over.
    package var heartbeatAt: Timestamp?
    package var endedAt: Timestamp?
    /// Records of the file.
    package var read = 0
    /// Records that became no row.
    package var skipped = 0
    /// Values that did not fit an optional field and were left out, by field.
    package var invalidValues: [String: Int] = [:]
    package var tables: [TableChanges] = []
    /// Why it failed, and the first reasons for which records were skipped.
    package var problems: [String] = []

    /// The time between two heartbeats.
    package static let heartbeat = Duration.seconds(5)
    /// After this time without a heartbeat an import counts as cut off.
    package static let longestSilence = Duration.seconds(30)

    package init(
        id: ContentImportID,
        format: ContentFormat,
        table: String? = nil,
        source: String? = nil,
        startedAt: Timestamp
    ) {
        self.id = id
        self.format = format
        self.table = table
        self.source = source
        state = .running
        self.startedAt = startedAt
        heartbeatAt = startedAt
    }

    /// Whether it runs, as far as its heartbeat tells.
    package func isAlive(at now: Timestamp) -> Bool {
        let end = (heartbeatAt ?? startedAt).rawValue + Self.longestSilence.components.seconds * 1_000
        return state == .running && now.rawValue < end
    }

    /// Whether it fills a table that another import fills.
    ///
    /// Two of one source do not count: the source was claimed anew, and a version that was begun earlier never replaces a
    /// later one.
    package func overlaps(_ other: ContentImportRun) -> Bool {
        guard id != other.id, source == nil || source != other.source else { return false }
        return !filledTables.isDisjoint(with: other.filledTables)
    }

    /// The run as it is at a time: one without a heartbeat was cut off, since its server could not say so.
    package func seen(at now: Timestamp) -> ContentImportRun {
        guard state == .running, !isAlive(at: now) else { return self }
        var run = self
        (run.state, run.endedAt, run.heartbeatAt) = (.failed, heartbeatAt ?? startedAt, nil)
        run.problems.append(Self.lost)
        return run
    }

    static let cutOff = "The import was cut off: the server ended. Nothing of it is there."
    private static let lost = "The import was cut off: its server ended before it. Nothing of it is there."

    private var filledTables: Set<String> { table.map { [$0] } ?? Set(format.tables) }

    /// Notes what came of the file.
    mutating func note(_ report: ContentFileReport) {
        (read, skipped, invalidValues, problems) = (report.read, report.skipped, report.invalidValues, report.problems)
    }
}
