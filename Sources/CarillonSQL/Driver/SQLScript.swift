/// Splits a script of this program into statements, which are sent and answered separately.
///
/// A semicolon ends a statement unless it is in quotes (`'…'`, `E'…'`, `"…"`, `$tag$…$tag$`) or in a comment (`-- …`,
/// `/* … */`, which nests). An unclosed quote extends to the end; the server refuses it then.
struct SQLScript {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ script: String) { bytes = Array(script.utf8) }

    /// The statements of a script, without the semicolons; parts with only spaces and comments are left out.
    static func statements(of script: String) -> [String] {
        var script = SQLScript(script)
        var statements: [String] = []
        while let statement = script.next() {
            if !statement.isEmpty { statements.append(statement) }
        }
        return statements
    }

    // MARK: - Private

    /// The next statement, empty without words; `nil` at the end.
    private mutating func next() -> String? {
        guard place < bytes.count else { return nil }
        let start = place
        var hasWords = false
        var end = bytes.count
        scanning: while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: ";"):
                end = place
                place += 1
                break scanning
            case UInt8(ascii: "-") where starts(with: "--"):
                skip(through: "\n")
                continue
            case UInt8(ascii: "/") where starts(with: "/*"):
                skipComment()
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                place += 1
                continue
            case UInt8(ascii: "'"): skipQuoted(by: UInt8(ascii: "'"), hasEscapes: isEscaping)
            case UInt8(ascii: "\""): skipQuoted(by: UInt8(ascii: "\""), hasEscapes: false)
            case UInt8(ascii: "$"): skipDollar()
            default: place += 1
            }
            hasWords = true
        }
        guard hasWords else { return "" }
        var text = bytes[start..<end]
        while let first = text.first, first <= 32 { text = text.dropFirst() }
        while let last = text.last, last <= 32 { text = text.dropLast() }
        return String(decoding: text, as: UTF8.self)
    }

    private func starts(with words: StaticString) -> Bool {
        words.withUTF8Buffer { bytes[place...].starts(with: $0) }
    }

    private mutating func skip(through byte: UnicodeScalar) {
        place = bytes[place...].firstIndex(of: UInt8(ascii: byte)).map { $0 + 1 } ?? bytes.count
    }

    private mutating func skipComment() {
        var depth = 0
        while place < bytes.count {
            if starts(with: "/*") {
                depth += 1
                place += 2
            } else if starts(with: "*/") {
                depth -= 1
                place += 2
                if depth == 0 { return }
            } else {
                place += 1
            }
        }
    }

    /// Whether the quote at this position belongs to `E'…'`.
    private var isEscaping: Bool {
        guard place > 0, bytes[place - 1] | 0x20 == UInt8(ascii: "e") else { return false }
        return place == 1 || !Self.isOfName(bytes[place - 2])
    }

    /// A quote within quotes is doubled: it ends one quotation and begins the next.
    private mutating func skipQuoted(by quote: UInt8, hasEscapes: Bool) {
        place += 1
        while place < bytes.count, bytes[place] != quote {
            place += hasEscapes && bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = min(place + 1, bytes.count)
    }

    /// Skips `$tag$…$tag$`, or only the dollar of a parameter or a name.
    private mutating func skipDollar() {
        var end = place + 1
        while end < bytes.count, Self.isOfName(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        let isTag =
            end < bytes.count && bytes[end] == UInt8(ascii: "$")
            && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place + 1])
            && (place == 0 || !Self.isOfName(bytes[place - 1]))
        guard isTag else {
            place += 1
            return
        }
        let tag = bytes[place...end]
        place = end + 1
        while place < bytes.count, !bytes[place...].starts(with: tag) { place += 1 }
        place = min(place + tag.count, bytes.count)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...255: true
        default: false
        }
    }
}
