import CarillonReaders
import Dispatch

/// Reads one file of another service: bytes in, fates of rows out, in constant memory.
package struct SourceReader<Format: SourceFormat> {
    private enum Form {
        /// Not known before the first character.
        case open
        case table(TableReader)
        case objects(ObjectReader)
    }

    private var form = Form.open
    private var input = TextInput()
    /// Text beyond a limit that was decompressed already, and from where it is still to be read.
    private var waiting: (text: [UInt8], start: Int) = ([], 0)
    private var needsHeader: Bool
    private var fates: [RowFate] = []

    /// The format, which has seen the rows of all files so far.
    package private(set) var format: Format
    private var builder: RecordBuilder
    /// The columns of a table that are not read.
    package private(set) var unread: UnreadColumns
    /// Rows whose text is no UTF-8, and rows that have other characters than ASCII and are.
    fileprivate var encoding = (wrong: 0, right: 0)
    /// How many lines of a table a quote has taken that was never closed.
    package private(set) var lostLineCount = 0
    /// Where reading was when the file proved to be damaged.
    package private(set) var lastLine = 0

    /// - Parameters:
    ///   - format: The format, as the file before left it.
    ///   - isSurvey: Whether records need only what tells which row of a token holds.
    ///   - keepsUnread: Whether the fields of columns that are not read are kept for ``takeUnread()``.
    package init(_ format: Format, isSurvey: Bool = false, keepsUnread: Bool = false) {
        self.format = format
        unread = UnreadColumns(keepsRows: keepsUnread)
        needsHeader = Format.hasHeader
        builder = RecordBuilder(isSurvey: isSurvey)
    }

    /// Whether the file is compressed: a part of it may be a thousand times as much text.
    package var isCompressed: Bool { input.isCompressed }

    /// The fields of columns that are not read, of the rows since the last call.
    package mutating func takeUnread() -> [UnreadRow] { unread.takeRows() }

    /// Whether there is text beyond the limit, for ``readMore(upTo:_:)``.
    package var hasMoreText: Bool { !waiting.text.isEmpty }

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any part of it.
    ///   - limit: About how many bytes of its text are read; more wait for ``readMore(upTo:_:)``, also after an error.
    ///   - body: Receives what becomes of each row, and its notes.
    /// - Throws: ``SourceProblem`` when the file cannot be imported, ``TextInput/Objection``, ``GzipReader/Damage``,
    ///   and errors of `body`.
    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>,
        upTo limit: Int = .max,
        _ body: (RowFate, Set<ImportNote>) throws -> Void
    ) throws {
        var input = self.input
        defer { self.input = input }
        var count = 0
        try input.read(bytes) { text in
            count += text.count
            if waiting.text.isEmpty, count <= limit { return try readText(text, body) }
            waiting.text.append(contentsOf: text)
        }
    }

    /// Reads text that waits.
    ///
    /// - Parameters:
    ///   - limit: How many bytes of it, at most.
    ///   - body: As that of ``read(_:upTo:_:)``.
    /// - Throws: ``SourceProblem``, and errors of `body`.
    package mutating func readMore(upTo limit: Int, _ body: (RowFate, Set<ImportNote>) throws -> Void) throws {
        let (text, start) = waiting
        let end = min(start + limit, text.count)
        waiting = end < text.count ? (text, end) : ([], 0)
        try text.withUnsafeBufferPointer { try readText(UnsafeBufferPointer(rebasing: $0[start..<end]), body) }
    }

    /// Reads the end of the file.
    ///
    /// - Throws: As ``read(_:upTo:_:)``.
    package mutating func finish(_ body: (RowFate, Set<ImportNote>) throws -> Void) throws {
        var input = self.input
        defer { self.input = input }
        try input.finish { try readText($0, body) }
        switch form {
        case .open: break
        case .table(var reader):
            // What is damaged ends within a row, which is not read.
            var items: [TableReader.Item] = []
            reader.finish { items.append($0) }
            lostLineCount = reader.lostLineCount
            for item in items { try take(item, body) }
        case .objects(var reader):
            var items: [ObjectReader.Item] = []
            reader.finish { items.append($0) }
            for item in items { try take(item, body) }
        }
        guard encoding.wrong <= encoding.right else {
            throw SourceProblem("is not in UTF-8 (CP949 or Shift_JIS?); save it as UTF-8")
        }
    }

    // MARK: - Private

    private mutating func readText(
        _ text: UnsafeBufferPointer<UInt8>,
        _ body: (RowFate, Set<ImportNote>) throws -> Void
    ) throws {
        if case .open = form {
            guard let first = text.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) else {
                return
            }
            let isObject = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            form =
                isObject
                ? .objects(ObjectReader(wanted: Format.members, envelopes: Format.envelopes))
                : .table(TableReader())
        }
        let form = self.form
        // The reader is moved out while rows are taken, so that it is not copied.
        self.form = .open
        switch form {
        case .open: break
        case .table(var reader):
            defer { self.form = .table(reader) }
            if mayReadHalves, text.count >= Self.splitSize, let middle = TableReader.middle(of: text) {
                try readHalves(of: text, middle, &reader, body)
            } else {
                try reader.read(text) { try take($0, body) }
            }
        case .objects(var reader):
            defer { self.form = .objects(reader) }
            try reader.read(text) { try take($0, body) }
        }
    }

    /// How many bytes of text two threads read; with fewer they would rather wait for each other.
    private static var splitSize: Int { 1 << 16 }

    /// The first reading makes claims of rows, which are few bytes, and notes nothing.
    private var mayReadHalves: Bool { builder.isSurvey && Format.hasIndependentRows && !needsHeader }

    /// Reads both halves of a text at the same time.
    ///
    /// Whether a row begins in the middle, and no quoted field goes on there, is known when the first half is read. The
    /// second one is read again if none does.
    private mutating func readHalves(
        of text: UnsafeBufferPointer<UInt8>,
        _ middle: Int,
        _ reader: inout TableReader,
        _ body: (RowFate, Set<ImportNote>) throws -> Void
    ) throws {
        let rest = UnsafeBufferPointer(rebasing: text[middle...])
        let first = Half(UnsafeBufferPointer(rebasing: text[..<middle]), self, reader)
        let second = Half(rest, self, reader.behind(first.text))
        second.source.encoding = (0, 0)
        DispatchQueue.concurrentPerform(iterations: 2) { $0 == 0 ? first.read() : second.read() }
        for fate in first.fates { try body(fate, []) }
        if let failure = first.failure { throw failure }
        reader = first.reader
        (encoding, lastLine) = (first.source.encoding, first.source.lastLine)
        guard reader.isAtRowStart, second.failure == nil else { return try reader.read(rest) { try take($0, body) } }
        reader.goOn(from: second.reader)
        let behind = second.source
        encoding = (encoding.wrong + behind.encoding.wrong, encoding.right + behind.encoding.right)
        lastLine = max(lastLine, behind.lastLine)
        for fate in second.fates { try body(fate, []) }
    }

    fileprivate mutating func take(
        _ item: TableReader.Item,
        _ body: (RowFate, Set<ImportNote>) throws -> Void
    ) throws {
        switch item {
        case .problem(let line, let problem):
            guard !needsHeader else { throw SourceProblem("has no header: its first line \(problem)") }
            try body(.refused(line: line, problem), [])
        case .row(let row):
            lastLine = row.line
            if needsHeader {
                needsHeader = false
                return try readHeader(row)
            }
            guard check(row) else { return try body(.refused(line: row.line, "is not UTF-8"), []) }
            unread.note(row)
            builder.beginRow()
            fates.removeAll(keepingCapacity: true)
            format.read(row, &builder, &fates)
            for fate in fates { try body(fate, builder.notes) }
        }
    }

    private mutating func take(
        _ item: ObjectReader.Item,
        _ body: (RowFate, Set<ImportNote>) throws -> Void
    ) throws {
        switch item {
        case .names(let names):
            guard Format.hasObjects else { throw Self.isNoTable(names) }
            if let objection = SourceFormats.objection(names, to: Format.self) { throw objection }
        case .problem(let line, let problem):
            guard Format.hasObjects else { throw Self.isNoTable([]) }
            try body(.refused(line: line, problem), [])
        case .object(let line, let members, let envelope):
            lastLine = line
            builder.beginRow()
            fates.removeAll(keepingCapacity: true)
            format.read(members, line: line, envelope: envelope, &builder, &fates)
            for fate in fates { try body(fate, builder.notes) }
        }
    }

    private static func isNoTable(_ names: Set<String>) -> SourceProblem {
        let other = SourceFormats.recognized(names, but: Format.name)
        let hint = other.map { "; it looks like \($0.title)'s: carillon import \($0.name)" } ?? ""
        return SourceProblem("has JSON; \(Format.title)'s export is a table\(hint)")
    }

    private mutating func check(_ row: TableRow) -> Bool {
        if row.isASCII { return true }
        guard row.isText else {
            encoding.wrong += 1
            return false
        }
        encoding.right += 1
        return true
    }

    private mutating func readHeader(_ row: TableRow) throws {
        guard row.isText else {
            throw SourceProblem("is not in UTF-8 (CP949 or Shift_JIS?); save it as UTF-8")
        }
        let names = (0..<row.count).map { row.text($0) ?? "" }
        if names.contains(where: { $0.contains("\r") }) {
            throw SourceProblem("has lines that end with CR alone; save it with LF or CRLF")
        }
        if names.count == 1, names[0].contains(";") || names[0].contains("\t") {
            throw SourceProblem("has its fields separated by semicolons or tabs; save it with commas")
        }
        do throws(SourceProblem) {
            unread.begin(names, unread: try format.begin(names))
        } catch {
            let other = SourceFormats.recognized(names, but: Format.name)
            throw other.map { SourceProblem("\(error); it looks like \($0.title)'s: carillon import \($0.name)") }
                ?? error
        }
    }
}

/// Half of a text, with readers of its own.
///
/// Only one thread uses it while it is read.
private final class Half<Format: SourceFormat>: @unchecked Sendable {
    let text: UnsafeBufferPointer<UInt8>
    var source: SourceReader<Format>
    private(set) var reader: TableReader
    private(set) var fates: [RowFate] = []
    private(set) var failure: (any Error)?

    init(_ text: UnsafeBufferPointer<UInt8>, _ source: SourceReader<Format>, _ reader: TableReader) {
        self.text = text
        self.source = source
        self.reader = reader
    }

    func read() {
        var (source, reader, fates) = (source, reader, fates)
        do {
            try reader.read(text) { try source.take($0) { fate, _ in fates.append(fate) } }
        } catch {
            failure = error
        }
        (self.source, self.reader, self.fates) = (source, reader, fates)
    }
}
