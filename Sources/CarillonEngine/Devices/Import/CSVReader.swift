/// Reads comma-separated values (RFC 4180) incrementally, one record at a time.
///
/// Quoted fields may contain commas, line breaks and doubled quotes; lines end with LF or CRLF; a byte order mark and
/// empty lines are skipped. A malformed record is reported as a problem, and reading continues with the next line.
package struct CSVReader {
    /// An item that was read.
    package enum Item: Hashable, Sendable {
        /// The line on which the record begins, from 1, and its fields.
        case record(line: Int, fields: [String])
        /// The line on which an unreadable record begins, and the reason.
        case problem(line: Int, String)
    }

    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// After a quote inside a quoted field: another one follows, or the field ends.
        case quoteInQuoted
        /// The record is rejected; the rest of the line is skipped.
        case skipping
    }

    /// Maximum bytes of a record.
    package static let maximumRecordSize = 65_536
    /// Maximum number of fields of a record.
    package static let maximumFieldCount = 256

    private var state = State.fieldStart
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var size = 0
    private var line = 1
    private var recordLine = 1
    private var problem: String?
    private var head: [UInt8] = []
    private var isHeadRead = false

    package init() {}

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any part of it.
    ///   - body: Receives each complete record.
    package mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Item) throws -> Void) rethrows {
        let isRead: Void? = try bytes.withContiguousStorageIfAvailable { try read($0[...], body) }
        if isRead == nil { try read(Array(bytes)[...], body) }
    }

    /// Reads the last record, which may have no line end.
    package mutating func finish(_ body: (Item) throws -> Void) rethrows {
        if !isHeadRead { try releaseHead(body) }
        if state == .quoted { giveUp("has a quote that is not closed") }
        guard state != .fieldStart || !fields.isEmpty || problem != nil else { return }
        try endRecord(body)
    }

    // MARK: - Private

    private mutating func read<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes,
        _ body: (Item) throws -> Void
    ) rethrows where Bytes.SubSequence == Bytes {
        var rest = bytes
        while let byte = rest.first {
            guard isHeadRead else {
                rest.removeFirst()
                try processHead(byte, body)
                continue
            }
            let plain = plainBytes(rest)
            if plain.isEmpty {
                rest.removeFirst()
                try process(byte, body)
            } else {
                field.append(contentsOf: plain)
                size += plain.count
                rest = rest.dropFirst(plain.count)
            }
        }
    }

    /// The bytes up to the next one that ends or quotes a field, which need no inspection.
    private func plainBytes<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes
    ) -> Bytes where Bytes.SubSequence == Bytes {
        guard state == .unquoted else { return bytes.prefix(0) }
        // One more byte may exceed the limit.
        let room = max(0, Self.maximumRecordSize - size)
        return bytes.prefix(room).prefix { $0 != 0x2C && $0 != 0x0A && $0 != 0x22 && $0 != 0x0D }
    }

    /// Holds back the first three bytes until they are known to be a byte order mark or not.
    private mutating func processHead(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        head.append(byte)
        if head.count == 3 { try releaseHead(body) }
    }

    private mutating func releaseHead(_ body: (Item) throws -> Void) rethrows {
        isHeadRead = true
        if head != [0xEF, 0xBB, 0xBF] { for byte in head { try process(byte, body) } }
    }

    private mutating func process(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        if byte == 0x0A { line += 1 }
        size += 1
        if size > Self.maximumRecordSize, state != .skipping {
            giveUp("is longer than \(Self.maximumRecordSize) bytes")
        }
        switch (state, byte) {
        case (.skipping, 0x0A), (.fieldStart, 0x0A), (.unquoted, 0x0A), (.quoteInQuoted, 0x0A):
            try endRecord(body)
        case (.skipping, _):
            break
        case (.fieldStart, 0x22):
            state = .quoted
        case (.quoted, 0x22):
            state = .quoteInQuoted
        case (.quoted, _):
            field.append(byte)
        case (.quoteInQuoted, 0x22):
            field.append(byte)
            state = .quoted
        case (.fieldStart, 0x2C), (.unquoted, 0x2C), (.quoteInQuoted, 0x2C):
            endField()
        case (.quoteInQuoted, 0x0D):
            break
        case (.quoteInQuoted, _):
            giveUp("has characters after a closing quote")
        case (.unquoted, 0x22):
            giveUp("has a quote inside a field that is not quoted")
        case (.fieldStart, _), (.unquoted, _):
            field.append(byte)
            state = .unquoted
        }
    }

    private mutating func endField() {
        // Nearly all are ASCII, for which this check is faster than general UTF-8 validation.
        let isASCII = field.allSatisfy { $0 < 0x80 }
        let text = isASCII ? String(decoding: field, as: UTF8.self) : String(validating: field, as: UTF8.self)
        guard let text else { return giveUp("is not UTF-8") }
        guard fields.count < Self.maximumFieldCount else { return giveUp("has too many fields") }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func endRecord(_ body: (Item) throws -> Void) rethrows {
        if state == .unquoted, field.last == 0x0D { field.removeLast() }
        let isEmpty = fields.isEmpty && field.isEmpty && state != .quoteInQuoted && problem == nil
        if !isEmpty, problem == nil { endField() }
        defer {
            fields = []
            field.removeAll(keepingCapacity: true)
            problem = nil
            size = 0
            state = .fieldStart
            recordLine = line
        }
        if let problem {
            try body(.problem(line: recordLine, problem))
        } else if !isEmpty {
            try body(.record(line: recordLine, fields: fields))
        }
    }

    private mutating func giveUp(_ text: String) {
        problem = text
        state = .skipping
    }
}
