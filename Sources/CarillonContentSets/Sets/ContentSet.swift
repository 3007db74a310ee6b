package import CarillonModel
package import StoreErrors

/// A content set of an App: its definition and what its tables have.
package struct ContentSet: Hashable, Sendable {
    /// The current rows of a table.
    package struct Version: Hashable, Sendable {
        /// The number of the version; unique among all Apps.
        package var slot: Int64
        /// The table as it was when the rows were imported; queries go by it.
        package var table: ContentTable
        package var rowCount: Int
        package var importedAt: Timestamp

        package init(slot: Int64, table: ContentTable, rowCount: Int, importedAt: Timestamp) {
            self.slot = slot
            self.table = table
            self.rowCount = rowCount
            self.importedAt = importedAt
        }
    }

    package var app: AppID
    package var name: String
    package var definition: ContentSetDefinition
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// By the tables' names; a table without an import has none.
    package var versions: [String: Version]

    /// Maximum number of content sets of an App.
    package static let maximumCount = 100

    package init(
        app: AppID,
        name: String,
        definition: ContentSetDefinition,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        versions: [String: Version] = [:]
    ) {
        self.app = app
        self.name = name
        self.definition = definition
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.versions = versions
    }
}

extension ContentSet: Encodable {
    private enum CodingKeys: String, CodingKey {
        case app, name, definition, tables, createdAt, updatedAt
    }

    private struct TableState: Encodable {
        var name: String
        var rows: Int
        var importedAt: Timestamp?
    }

    /// Writes the set as answers have it.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(app, forKey: .app)
        try fields.encode(name, forKey: .name)
        try fields.encode(definition, forKey: .definition)
        let tables = definition.tables.map { table in
            let version = versions[table.name]
            return TableState(name: table.name, rows: version?.rowCount ?? 0, importedAt: version?.importedAt)
        }
        try fields.encode(tables, forKey: .tables)
        try fields.encode(createdAt, forKey: .createdAt)
        try fields.encode(updatedAt, forKey: .updatedAt)
    }
}

/// One page of a listing.
package struct ContentList<Item: Encodable & Sendable>: Sendable, Encodable {
    package var items: [Item]
    /// The cursor of the next page; `nil` on the last one.
    package var nextCursor: String?

    /// Creates a page from rows that include one more than the page shows.
    init(_ found: [Item], limit: Int, cursor: (Item) -> String) {
        items = Array(found.prefix(limit))
        nextCursor = found.count > limit ? items.last.map(cursor) : nil
    }
}

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

    /// Ordered by time; unique in an App.
    package var id: Int64
    package var format: ContentFormat
    package var state: State
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// Records of the file.
    package var read = 0
    /// Records that became no row.
    package var skipped = 0
    /// Values that did not fit and were left out, by field.
    package var left: [String: Int] = [:]
    package var tables: [TableChanges] = []
    /// Why it failed, and the first reasons for which records were skipped.
    package var problems: [String] = []

    package init(id: Int64, format: ContentFormat, startedAt: Timestamp) {
        self.id = id
        self.format = format
        state = .running
        self.startedAt = startedAt
    }
}

/// Why something about content sets is not done.
package enum ContentSetError: Error, Hashable, Sendable {
    case notFound
    case noApp
    /// A query or a definition that does not fit, all errors at once.
    case invalid([FieldError])
    /// The App has the maximum number of sets.
    case tooMany
    /// The file is refused; the run says why.
    case refused(ContentImportRun)
    case store(StoreError)
}
