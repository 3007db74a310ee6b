/// Scans a rule's text byte by byte for the parser.
struct AudienceScanner {
    /// An error at a position in the text.
    struct Failure: Error {
        var position: Int
        var problem: String
    }

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var byteCount: Int { bytes.count }

    /// Skips white space, and returns the next byte; `nil` at the end.
    mutating func next() -> UInt8? {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    /// Consumes a mark if it is next.
    mutating func consume(_ mark: StaticString) -> Bool {
        guard next() != nil else { return false }
        let end = position + mark.utf8CodeUnitCount
        guard end <= bytes.count,
            (0..<mark.utf8CodeUnitCount).allSatisfy({ bytes[position + $0] == mark.utf8Start[$0] })
        else { return false }
        position = end
        return true
    }

    mutating func expect(_ mark: StaticString) throws(Failure) {
        guard consume(mark) else { throw failure("expected \(mark)") }
    }

    /// Consumes letters, digits, `_`, `.` and `-`: a name or a keyword; empty when there are none.
    mutating func name() -> String { run(Self.isName) }

    /// Consumes a value without quotation marks: also `:`, `/` and `+`; empty when there is none.
    mutating func bareValue() -> String { run(Self.isBare) }

    /// Consumes a keyword, in either case.
    mutating func consumeKeyword(_ keyword: String) -> Bool {
        let start = position
        if name().lowercased() == keyword { return true }
        position = start
        return false
    }

    /// Consumes a text in quotation marks; `nil` when there is none.
    mutating func quoted() throws(Failure) -> String? {
        guard next() == UInt8(ascii: "\"") else { return nil }
        let start = position
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(try escaped())
            case 0..<0x20, 0x7F: throw Failure(position: position - 1, problem: "expected no control character")
            default: text.append(byte)
            }
        }
        throw Failure(position: start, problem: "expected a quotation mark at the end of this text")
    }

    func failure(_ problem: String) -> Failure { Failure(position: position, problem: problem) }

    /// The failure with its line and column.
    func located(_ failure: Failure) -> AudienceTextError {
        let before = bytes.prefix(failure.position)
        let line = before.split(separator: 0x0A, omittingEmptySubsequences: false)
        let column = String(decoding: line.last ?? [], as: UTF8.self).count + 1
        return AudienceTextError(line: max(1, line.count), column: column, problem: failure.problem)
    }

    // MARK: - Private

    private mutating func run(_ isPart: (UInt8) -> Bool) -> String {
        guard next() != nil else { return "" }
        let start = position
        while position < bytes.count, isPart(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func escaped() throws(Failure) -> UInt8 {
        guard position < bytes.count else { throw failure("expected \\\", \\\\, \\n, \\r or \\t") }
        defer { position += 1 }
        switch bytes[position] {
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default: throw Failure(position: position - 1, problem: "expected \\\", \\\\, \\n, \\r or \\t")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func isBare(_ byte: UInt8) -> Bool { isName(byte) || ":/+".utf8.contains(byte) }

    static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }
}
