#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
            if state == .fieldStart, size == 0, let end = try readLine(bytes, from: position, body) {
                position = end
                continue
            }
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

    // MARK: Halves

    /// Where a line begins in the second half of a text; `nil` when none does.
    package static func middle(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        let half = text.count / 2
        guard let start = text.baseAddress, let lineFeed = memchr(start + half, 0x0A, text.count - half) else {
            return nil
        }
        let middle = UnsafeRawPointer(start).distance(to: UnsafeRawPointer(lineFeed)) + 1
        return middle < text.count ? middle : nil
    }

    /// A reader of what follows a text, if a row begins there: that is known when the text is read.
    package func behind(_ text: UnsafeBufferPointer<UInt8>) -> TableReader {
        var reader = TableReader(maximumRowSize: maximumRowSize, maximumFieldCount: maximumFieldCount)
        reader.line = text.reduce(line) { $0 + ($1 == 0x0A ? 1 : 0) }
        reader.row.removeAll(line: reader.line)
        return reader
    }

    /// Whether a row begins with the next byte.
    package var isAtRowStart: Bool { state == .fieldStart && size == 0 && problem == nil }

    /// Goes on where a reader from ``behind(_:)`` has come to.
    package mutating func goOn(from reader: TableReader) {
        let lost = lostLineCount
        self = reader
        lostLineCount += lost
    }

    // MARK: - Private

    /// Reads a row that is one whole line, much faster than byte by byte.
    ///
    /// - Returns: Where the next line begins; `nil` when the line is empty, has no end yet, or is not well formed: nothing
    ///   is read then.
    private mutating func readLine(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        _ body: (Item) throws -> Void
    ) rethrows -> Int? {
        guard let text = bytes.baseAddress.map({ $0 + start }),
            let lineFeed = memchr(text, 0x0A, bytes.count - start)
        else { return nil }
        let length = UnsafeRawPointer(text).distance(to: UnsafeRawPointer(lineFeed))
        guard length > 0, length < maximumRowSize else { return nil }
        let isCRLF = text[length - 1] == 0x0D
        let rest = UnsafeBufferPointer(start: text, count: isCRLF ? length - 1 : length)
        guard !rest.isEmpty, memchr(text, 0, rest.count) == nil,
            row.read(rest, maximumFieldCount: maximumFieldCount)
        else { return nil }
        line += 1
        defer { row.removeAll(line: line) }
        try body(.row(row))
        return start + length + 1
    }

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
