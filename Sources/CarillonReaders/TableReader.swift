/// Reads comma-separated values (RFC 4180) incrementally, row by row, without an allocation a field.
///
/// Quoted fields may contain commas, line breaks and doubled quotes. Lines end with LF or CRLF, also both in one file; empty
/// ones are skipped. A bad row is a problem, and reading goes on with the next line.
package struct TableReader {
    /// What was read.
    package enum Item {
        /// A row.
        case row(TableRow)
        /// A row that cannot be read: the line on which it begins, and why.
        case problem(line: Int, String)
    }

    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// After a quote inside a quoted field: another one follows, or the field ends.
        case quoteInQuoted
        /// The row is refused; the rest of the line is skipped.
        case skipping
    }

    /// How many lines a quote has taken that was never closed.
    package private(set) var lostLineCount = 0

    private let maximumRowSize: Int
    private let maximumFieldCount: Int

    private var state = State.fieldStart
    private var row = TableRow()
    private var size = 0
    private var line = 1
    private var problem: String?
    private var endsWithLineFeed = false
    private var isQuoted = false

    /// - Parameters:
    ///   - maximumRowSize: Maximum bytes of a row.
    ///   - maximumFieldCount: Maximum number of fields of a row.
    package init(maximumRowSize: Int = 262_144, maximumFieldCount: Int = 1_024) {
        self.maximumRowSize = maximumRowSize
        self.maximumFieldCount = maximumFieldCount
    }

    /// Reads the next bytes of the text.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Item) throws -> Void) rethrows {
        if let last = bytes.last { endsWithLineFeed = last == 0x0A }
        var position = 0
        while position < bytes.count {
            if state == .unquoted || state == .quoted {
                let end = plainEnd(bytes, from: position)
                if end > position {
                    row.append(UnsafeBufferPointer(rebasing: bytes[position..<end]))
                    size += end - position
                    position = end
                    continue
                }
            }
            try process(bytes[position], body)
            position += 1
        }
    }

    /// Reads the last row, which may have no line end.
    package mutating func finish(_ body: (Item) throws -> Void) rethrows {
        if state == .quoted {
            // A line end at the end of the text is followed by no line.
            lostLineCount += line - row.line - (endsWithLineFeed ? 1 : 0)
            giveUp("has a quote that is not closed")
        }
        guard state != .fieldStart || row.count > 0 || problem != nil else { return }
        try endRow(body)
    }

    // MARK: - Private

    /// Where the bytes end that need no inspection.
    private func plainEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        // One more byte may be too many.
        let end = min(bytes.count, start + max(0, maximumRowSize - size))
        var position = start
        if state == .unquoted {
            while position < end {
                let byte = bytes[position]
                if byte == 0x2C || byte == 0x0A || byte == 0x22 || byte == 0 { break }
                position += 1
            }
        } else {
            while position < end {
                let byte = bytes[position]
                if byte == 0x22 || byte == 0x0A || byte == 0 { break }
                position += 1
            }
        }
        return position
    }

    private mutating func process(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        if byte == 0x0A { line += 1 }
        size += 1
        if size > maximumRowSize, state != .skipping { giveUpAsTooLong() }
        switch (state, byte) {
        case (.skipping, 0x0A), (.fieldStart, 0x0A), (.unquoted, 0x0A), (.quoteInQuoted, 0x0A):
            try endRow(body)
        case (.skipping, _):
            break
        case (_, 0):
            giveUp("has a NUL character")
        case (.fieldStart, 0x22):
            state = .quoted
            isQuoted = true
        case (.quoted, 0x22):
            state = .quoteInQuoted
        case (.quoteInQuoted, 0x22), (.quoted, _):
            row.append(byte)
            state = .quoted
        case (.fieldStart, 0x2C), (.unquoted, 0x2C), (.quoteInQuoted, 0x2C):
            endField()
        case (.quoteInQuoted, 0x0D):
            break
        case (.quoteInQuoted, _):
            // What the stray quote took before, and the rest of this line.
            lostLineCount += line - row.line
            giveUp("has characters after a closing quote")
        case (.unquoted, 0x22):
            giveUp("has a quote inside a field that is not quoted")
        case (.fieldStart, _), (.unquoted, _):
            row.append(byte)
            state = .unquoted
        }
    }

    private mutating func endField() {
        guard row.count < maximumFieldCount else { return giveUp("has more than \(maximumFieldCount) fields") }
        row.endField()
        state = .fieldStart
        isQuoted = false
    }

    private mutating func endRow(_ body: (Item) throws -> Void) rethrows {
        if state == .unquoted { row.removeLastCarriageReturn() }
        let isEmpty = row.count == 0 && row.isFieldEmpty && !isQuoted && problem == nil
        if !isEmpty, problem == nil { endField() }
        defer {
            row.removeAll(line: line)
            problem = nil
            size = 0
            state = .fieldStart
            isQuoted = false
        }
        if let problem {
            try body(.problem(line: row.line, problem))
        } else if !isEmpty {
            try body(.row(row))
        }
    }

    /// A quote that is never closed takes the lines after it, up to this limit; the report says how many.
    private mutating func giveUpAsTooLong() {
        let swallowed = line - row.line
        if state == .quoted { lostLineCount += swallowed }
        giveUp(
            state == .quoted && swallowed > 0
                ? "has a quote that is not closed; \(swallowed) lines after it are lost"
                : "is longer than \(maximumRowSize) bytes"
        )
    }

    private mutating func giveUp(_ text: String) {
        problem = text
        state = .skipping
    }
}

/// A row of a table: the bytes of its fields.
package struct TableRow {
    /// The line on which it begins, from 1.
    package private(set) var line = 1
    private var bytes: [UInt8] = []
    /// Where each field ends.
    private var ends: [Int] = []

    /// The number of fields.
    package var count: Int { ends.count }

    /// Whether all of its text is ASCII or other valid UTF-8.
    package var isText: Bool { isASCII || String(validating: bytes, as: UTF8.self) != nil }

    /// Whether it has only ASCII.
    package var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

    /// The bytes of a field; empty when the row does not have it.
    package func bytes(_ index: Int) -> ArraySlice<UInt8> {
        guard ends.indices.contains(index) else { return [] }
        return bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// The text of a field; `nil` when it is empty, or the row does not have it.
    package func text(_ index: Int) -> String? {
        let field = bytes(index)
        return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
    }

    fileprivate var isFieldEmpty: Bool { bytes.count == (ends.last ?? 0) }

    fileprivate mutating func append(_ byte: UInt8) { bytes.append(byte) }

    fileprivate mutating func append(_ some: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: some) }

    fileprivate mutating func endField() { ends.append(bytes.count) }

    fileprivate mutating func removeLastCarriageReturn() {
        if bytes.count > (ends.last ?? 0), bytes.last == 0x0D { bytes.removeLast() }
    }

    fileprivate mutating func removeAll(line: Int) {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        self.line = line
    }
}
