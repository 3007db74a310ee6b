import CarillonReaders

/// Reads the tables of a GTFS archive: any order of columns, a byte order mark, quotes; unknown columns are ignored.
struct GTFSFiles {
    /// A row of a table, by the names of its columns.
    struct Row {
        fileprivate let row: TableRow
        fileprivate let columns: [Int]

        /// A column's text without blanks around it; `nil` when it is empty, or the table does not have the column.
        func text(_ column: Int) -> String? {
            let bytes = bytes(column)
            return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        }

        func bytes(_ column: Int) -> ArraySlice<UInt8> {
            guard columns[column] >= 0 else { return [] }
            var bytes = row.bytes(columns[column])
            while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
            while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
            return bytes
        }

        /// A whole number that is not negative; `nil` for anything else.
        func number(_ column: Int) -> Int? {
            let bytes = bytes(column)
            guard (1...9).contains(bytes.count) else { return nil }
            var number = 0
            for byte in bytes {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return number
        }
    }

    /// Maximum number of rows of a table but for stop times: each takes memory until the archive is read.
    static let maximumRowCount = 2_000_000

    let archive: ZipArchive

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - name: The file's name without `.txt`.
    ///   - columns: The columns that are read; a row has them by their place in this list.
    ///   - required: Those of them that the table must have.
    ///   - limit: Maximum number of rows.
    ///   - skip: Receives a row that cannot be read: its line, and why.
    ///   - body: Receives each row.
    /// - Returns: False when the archive has no such file.
    /// - Throws: ``ContentFileProblem``, ``ZipArchive/Failure``, and errors of the closures.
    @discardableResult
    func read(
        _ name: String,
        _ columns: [String],
        required: Set<String>,
        limit: Int = Self.maximumRowCount,
        skip: (Int, String) -> Void,
        _ body: (Row, _ line: Int) throws -> Void
    ) throws -> Bool {
        let file = name + ".txt"
        guard archive.contains(file) else { return false }
        var places: [Int] = []
        var count = 0
        try TextFile.readTable({ receive in
            var input = TextInput()
            var head: [UInt8] = []
            _ = try archive.read(file) { part in
                if head.count < 2 { head += part.prefix(2 - head.count) }
                // Its bytes would not be counted by the archive.
                guard head != [0x1F, 0x8B] else { throw ContentFileProblem("has a file \(file) that is packed twice") }
                try input.read(part, receive)
            }
            try input.finish(receive)
        }) { header in
            let names = header.map { $0.lowercased() }
            places = columns.map { names.firstIndex(of: $0) ?? -1 }
            for (column, place) in zip(columns, places) where place < 0 && required.contains(column) {
                throw ContentFileProblem("has no column \(column) in \(file)")
            }
        } row: { row, line, problem in
            count += 1
            guard count <= limit else { throw ContentFileProblem("has more than \(limit) rows in \(file)") }
            guard let row else { return skip(line, problem) }
            guard row.isText else { return skip(line, "is not in UTF-8") }
            try body(Row(row: row, columns: places), line)
        }
        return true
    }
}
