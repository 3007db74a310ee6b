package import CarillonModel

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

    /// Creates a page of all items, where there are few.
    package init(all items: [Item]) { self.items = items }

    /// Creates a page from rows that include one more than the page shows.
    package init(_ found: [Item], limit: Int, cursor: (Item) -> String) {
        items = Array(found.prefix(limit))
        nextCursor = found.count > limit ? items.last.map(cursor) : nil
    }
}
