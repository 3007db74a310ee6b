import CarillonReaders

/// Reads the CSV of an import of our own, one record at a time: UTF-8, with or without a byte order mark.
///
/// What comma-separated values are is ``TableReader``'s. A malformed record is reported as a problem, and reading continues
/// with the next line.
package struct CSVReader {
    /// An item that was read.
    package enum Item: Hashable, Sendable {
        /// The line on which the record begins, from 1, and its fields.
        case record(line: Int, fields: [String])
        /// The line on which an unreadable record begins, and the reason.
        case problem(line: Int, String)
    }

    /// Maximum bytes of a record.
    package static let maximumRecordSize = 65_536
    /// Maximum number of fields of a record.
    package static let maximumFieldCount = 256

    private var table = TableReader(maximumRowSize: maximumRecordSize, maximumFieldCount: maximumFieldCount)
    /// The first bytes, until they are known to be a byte order mark or not.
    private var head: [UInt8]? = []

    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any part of it.
    ///   - body: Receives each complete record.
    package mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Item) throws -> Void) rethrows {
        let isRead: Void? = try bytes.withContiguousStorageIfAvailable { try read($0, body) }
        if isRead == nil { try Array(bytes).withUnsafeBufferPointer { try read($0, body) } }
    }

    /// Reads the last record, which may have no line end.
    package mutating func finish(_ body: (Item) throws -> Void) rethrows {
        try releaseHead(body)
        try table.finish { try body(Self.item($0)) }
    }

    // MARK: - Private

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Item) throws -> Void) rethrows {
        var rest = bytes[...]
        if let known = head {
            head = known + rest.prefix(3 - known.count)
            rest = rest.dropFirst(3 - known.count)
            guard known.count + bytes.count >= 3 else { return }
            try releaseHead(body)
        }
        try table.read(UnsafeBufferPointer(rebasing: rest)) { try body(Self.item($0)) }
    }

    private mutating func releaseHead(_ body: (Item) throws -> Void) rethrows {
        guard let known = head else { return }
        head = nil
        guard known != [0xEF, 0xBB, 0xBF] else { return }
        try known.withUnsafeBufferPointer { try table.read($0) { try body(Self.item($0)) } }
    }

    private static func item(_ item: TableReader.Item) -> Item {
        switch item {
        case .problem(let line, let problem): .problem(line: line, problem)
        case .row(let row) where !row.isText: .problem(line: row.line, "is not UTF-8")
        case .row(let row): .record(line: row.line, fields: (0..<row.count).map { row.text($0) ?? "" })
        }
    }
}
