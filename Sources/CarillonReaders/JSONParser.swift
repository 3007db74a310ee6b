package import CarillonModel

/// Parses one JSON value (RFC 8259) from bytes.
///
/// Foundation's decoder tries each type of a ``JSONValue`` in turn, and a failed try throws: that takes longer than the
/// rest of a line's import.
package struct JSONParser {
    /// Why bytes are no JSON value.
    package struct Problem: Error, Hashable, Sendable {
        package init() {}
    }

    /// Maximum depth of arrays and objects.
    package static let maximumDepth = 32

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var depth = 0

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Parses a whole value; white space may surround it.
    package static func value(_ bytes: ArraySlice<UInt8>) throws(Problem) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.endIndex else { throw Problem() }
        return value
    }

    /// Parses an object.
    package static func object(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [String: JSONValue] {
        guard case .object(let members) = try value(bytes) else { throw Problem() }
        return members
    }

    // MARK: - Private

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(Problem) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { (parser) throws(Problem) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(Problem) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(Problem) -> JSONValue
    ) throws(Problem) -> JSONValue {
        depth += 1
        guard depth <= Self.maximumDepth else { throw Problem() }
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(Problem) -> JSONValue {
        var members: [String: JSONValue] = [:]
        skipSpace()
        if consume("}") { return .object(members) }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            guard consume(":") else { throw Problem() }
            members[name] = try value()
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw Problem() }
        return .object(members)
    }

    private mutating func array() throws(Problem) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if consume("]") { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw Problem() }
        return .array(elements)
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Problem) -> JSONValue {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.endIndex,
            bytes[position..<end].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: end - position))
        else { throw Problem() }
        position = end
        return value
    }

    private mutating func number() throws(Problem) -> JSONValue {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        var isWhole = true
        let digits = position
        while let byte = next {
            switch byte {
            case 0x30...0x39: break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                isWhole = false
            default: return try number(start, digits, isWhole)
            }
            position += 1
        }
        return try number(start, digits, isWhole)
    }

    private func number(_ start: Int, _ digits: Int, _ isWhole: Bool) throws(Problem) -> JSONValue {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let hasLeadingZero = position - digits > 1 && bytes[digits] == 0x30 && (0x30...0x39).contains(bytes[digits + 1])
        guard position > digits, (0x30...0x39).contains(bytes[digits]), !hasLeadingZero else { throw Problem() }
        if isWhole, let whole = Int64(text) { return .integer(whole) }
        guard bytes[position - 1] != UInt8(ascii: "."), let number = Double(text), number.isFinite else {
            throw Problem()
        }
        return .number(number)
    }

    private mutating func string() throws(Problem) -> String {
        guard consume("\"") else { throw Problem() }
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try text(bytes[start..<position])
        }
        return try escapedString(Array(bytes[start..<position]))
    }

    private mutating func escapedString(_ begin: [UInt8]) throws(Problem) -> String {
        var text = begin
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try self.text(text[...])
            case UInt8(ascii: "\\"): try escape(&text)
            case 0..<0x20: throw Problem()
            default: text.append(byte)
            }
        }
        throw Problem()
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Problem) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem() }
        return text
    }

    private mutating func escape(_ text: inout [UInt8]) throws(Problem) {
        guard let byte = next else { throw Problem() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(Character(try escapedScalar())).utf8)
        default: throw Problem()
        }
    }

    /// A character by its code, or by two of them outside the basic plane.
    private mutating func escapedScalar() throws(Problem) -> Unicode.Scalar {
        let first = try code()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), consume("\\"), consume("u") else { throw Problem() }
        let second = try code()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw Problem() }
        return scalar
    }

    private mutating func code() throws(Problem) -> UInt32 {
        guard position + 4 <= bytes.endIndex,
            let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-")
        else { throw Problem() }
        position += 4
        return code
    }
}
