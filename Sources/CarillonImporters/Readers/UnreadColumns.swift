import CarillonReaders

/// The fields of a row in columns that are not read.
package struct UnreadRow: Hashable, Sendable {
    /// The line on which the row begins, from 1.
    package var line: Int
    /// The fields that are not empty, by the column's name.
    package var fields: [String: String]
}

/// The columns of a table that are not read: how many rows have something in them, and what, if that is asked.
package struct UnreadColumns: Sendable {
    /// As the header writes them.
    package private(set) var names: [String] = []
    /// How many rows have a value, by the index of the name.
    package private(set) var counts: [Int] = []
    private var positions: [Int] = []
    private let keepsRows: Bool
    private var rows: [UnreadRow] = []

    init(keepsRows: Bool) { self.keepsRows = keepsRows }

    /// Finds the columns in a header.
    mutating func begin(_ header: [String], unread: [String]) {
        let unread = Set(unread)
        for (position, name) in header.map(\.trimmingSpaces).enumerated() where unread.contains(name) {
            names.append(name)
            positions.append(position)
        }
        counts = Array(repeating: 0, count: names.count)
    }

    mutating func note(_ row: TableRow) {
        guard !positions.isEmpty else { return }
        var fields: [String: String] = [:]
        for (index, position) in positions.enumerated() where !row.bytes(position).isEmpty {
            counts[index] += 1
            if keepsRows { fields[names[index]] = row.text(position) }
        }
        if !fields.isEmpty { rows.append(UnreadRow(line: row.line, fields: fields)) }
    }

    /// The rows since the last call.
    mutating func takeRows() -> [UnreadRow] {
        guard !rows.isEmpty else { return [] }
        defer { rows.removeAll(keepingCapacity: true) }
        return rows
    }
}
