/// Checks JSON text by RFC 8259 before it is decoded.
///
/// Foundation's decoder accepts more: other encodings than UTF-8, any depth, and duplicate names in an object, of which
/// it uses one. Text that passes here has one meaning.
package struct JSONSyntax: ~Copyable {
    /// Maximum depth of arrays and objects.
    package static let maximumDepth = 32

    /// Where the text is not JSON, and what was expected there.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package var offset: Int
        package var problem: String

        package init(offset: Int, problem: String) {
            self.offset = offset
            self.problem = problem
        }

        package var description: String { "At byte \(offset): \(problem)." }
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The names of each open object; `nil` for an array.
    private var open: [Names?] = []
    /// Whether the last string was ASCII without escapes.
    private var isPlain = true

    /// Checks a text.
    package static func check(_ bytes: [UInt8]) throws(Failure) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(offset: 0, problem: "the text is not UTF-8")
        }
        var syntax = JSONSyntax(bytes: bytes)
        try syntax.run()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: - Private

    private mutating func run() throws(Failure) {
        try value()
        while !open.isEmpty { try afterValue() }
        skipSpace()
        guard position == bytes.count else { throw failure("nothing may follow the value") }
    }

    /// Reads a value; of an array or object only its beginning, up to its first value.
    private mutating func value() throws(Failure) {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"):
            try enter(Names())
            skipSpace()
            if !consume(UInt8(ascii: "}")) {
                try name()
                return try value()
            }
            open.removeLast()
        case UInt8(ascii: "["):
            try enter(nil)
            skipSpace()
            if !consume(UInt8(ascii: "]")) { return try value() }
            open.removeLast()
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    /// Reads what follows a value in an array or object: its end or its next value.
    private mutating func afterValue() throws(Failure) {
        skipSpace()
        let isObject = open[open.count - 1] != nil
        if consume(UInt8(ascii: ",")) {
            skipSpace()
            if isObject { try name() }
            try value()
        } else if consume(UInt8(ascii: isObject ? "}" : "]")) {
            open.removeLast()
        } else {
            throw failure(isObject ? "a comma or } must follow" : "a comma or ] must follow")
        }
    }

    private mutating func enter(_ names: Names?) throws(Failure) {
        guard open.count < Self.maximumDepth else {
            throw failure("it is nested deeper than \(Self.maximumDepth) levels")
        }
        position += 1
        open.append(names)
    }

    private mutating func name() throws(Failure) {
        guard peek == UInt8(ascii: "\"") else { throw failure("a name in quotes is needed") }
        let name = try string()
        let isNew = open[open.count - 1]?.insert(name, isPlain: isPlain)
        guard isNew == true else { throw failure("a name comes twice") }
        skipSpace()
        guard consume(UInt8(ascii: ":")) else { throw failure("a colon must follow the name") }
    }

    /// Reads a string, and returns the bytes between the quotes, with escapes.
    private mutating func string() throws(Failure) -> ArraySlice<UInt8> {
        position += 1
        isPlain = true
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes[start..<position - 1]
            case UInt8(ascii: "\\"):
                isPlain = false
                try escape()
            case 0x80...: isPlain = false
            case 0..<0x20: throw failure("a control character must be escaped")
            default: break
            }
        }
        throw failure("a text does not end")
    }

    private mutating func escape() throws(Failure) {
        let byte = peek
        position += 1
        switch byte {
        case UInt8(ascii: "u"):
            let unit = try hexadecimal()
            if (0xDC00...0xDFFF).contains(unit) { throw failure("an unpaired surrogate") }
            guard (0xD800...0xDBFF).contains(unit) else { return }
            guard consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")), (0xDC00...0xDFFF).contains(try hexadecimal())
            else { throw failure("an unpaired surrogate") }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            break
        default: throw failure("a backslash must begin an escape")
        }
    }

    private mutating func hexadecimal() throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Self.digit(byte) else {
                throw failure("four hexadecimal digits are needed")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private mutating func number() throws(Failure) {
        _ = consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) {
            guard skipDigits() else { throw failure("a value is needed") }
        }
        if consume(UInt8(ascii: ".")), !skipDigits() { throw failure("a digit must follow the point") }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            guard skipDigits() else { throw failure("the exponent needs a digit") }
        }
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func word(_ word: StaticString) throws(Failure) {
        for index in 0..<word.utf8CodeUnitCount {
            guard consume(word.utf8Start[index]) else { throw failure("a value is needed, such as \(word)") }
        }
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func failure(_ problem: String) -> Failure { Failure(offset: position, problem: problem) }
}
