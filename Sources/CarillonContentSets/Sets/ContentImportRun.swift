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
    /// The source that it was fetched from; `nil` for a file that was sent.
    package var source: String?
    package var state: State
    package var startedAt: Timestamp
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

    package init(id: ContentImportID, format: ContentFormat, source: String? = nil, startedAt: Timestamp) {
        self.id = id
        self.format = format
        self.source = source
        state = .running
        self.startedAt = startedAt
    }

    /// Notes what came of the file.
    mutating func note(_ report: ContentFileReport) {
        (read, skipped, invalidValues, problems) = (report.read, report.skipped, report.invalidValues, report.problems)
    }
}
