import CarillonModel

/// A reader for JSON as SDKs write it: strings of printable ASCII without escapes, unique names.
///
/// It serves the most frequent bodies, on a fast path: it gives up on everything else, and on everything that might
/// be an error. Then strict `Codable` decoding decides, and words the error. So there is one definition of what is
/// valid.
struct PlainJSON {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether only white space follows.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return position == bytes.count
    }

    /// Consumes a byte, if it is next.
    mutating func consume(_ mark: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == mark else { return false }
        position += 1
        return true
    }

    /// Consumes a comma or the closing byte.
    ///
    /// - Returns: Whether there is another element; `nil` when neither is next.
    mutating func hasNext(before end: UInt8) -> Bool? {
        if consume(UInt8(ascii: ",")) { return true }
        return consume(end) ? false : nil
    }

    /// Reads a string; `nil` when it has an escape or anything but printable ASCII.
    mutating func text() -> Text? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return Text(start: start, end: position - 1)
            }
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    /// Reads a name of an object and its colon.
    mutating func name() -> Text? {
        guard let name = text(), consume(UInt8(ascii: ":")) else { return nil }
        return name
    }

    /// Reads `true` or `false`.
    mutating func bool() -> Bool? {
        skipSpace()
        if consumeWord("true") { return true }
        return consumeWord("false") ? false : nil
    }

    /// Reads a string, a boolean or null.
    mutating func value() -> JSONValue? {
        skipSpace()
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return text().map { .string(string($0)) }
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return bool().map { .bool($0) }
        default: return consumeWord("null") ? .null : nil
        }
    }

    /// Reads a number without an exponent.
    mutating func decimal() -> Double? {
        skipSpace()
        let start = position
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        guard let first = digit() else { return nil }
        if first == UInt8(ascii: "0") {
            guard digit() == nil else { return nil }
        } else {
            while digit() != nil {}
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard digit() != nil else { return nil }
            while digit() != nil {}
        }
        // An exponent remains unread here, and the next comma or bracket is not found.
        return Double(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digit() -> UInt8? {
        guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Skips a string, an integer, a boolean or null.
    mutating func skipScalar() -> Bool {
        skipSpace()
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): return text() != nil
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return true
        default: return consumeWord("true") || consumeWord("false") || consumeWord("null")
        }
    }

    // MARK: Texts

    /// The position of a string.
    struct Text {
        var start: Int
        var end: Int

        var count: Int { end - start }
    }

    /// Whether a string equals a word.
    func matches(_ text: Text, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<text.count where bytes[text.start + index] != word.utf8Start[index] { return false }
        return true
    }

    /// Decodes a string.
    func string(_ text: Text) -> String { String(decoding: bytes[text.start..<text.end], as: UTF8.self) }

    // MARK: - Private

    private mutating func consumeWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }
}
