/// A reader for JSON as SDKs write it: text of printable ASCII without escapes, each name once.
///
/// It serves the two bodies that come most often, and only when they look ordinary: it gives up on all else, and on
/// everything that might be an error. Then the strict reading by `Codable` decides, and words the error. So there is
/// one rule of what is valid, and this is its fast half.
struct PlainJSON {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether nothing but space follows.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return position == bytes.count
    }

    /// Passes over a mark, if it is next.
    mutating func take(_ mark: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == mark else { return false }
        position += 1
        return true
    }

    /// Passes over a comma or the closing mark.
    ///
    /// - Returns: Whether there is another element; `nil` when neither is next.
    mutating func hasNext(before end: UInt8) -> Bool? {
        if take(UInt8(ascii: ",")) { return true }
        return take(end) ? false : nil
    }

    /// A text; `nil` when it has an escape or anything but printable ASCII.
    mutating func text() -> Text? {
        guard take(UInt8(ascii: "\"")) else { return nil }
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

    /// A name of an object and the colon after it.
    mutating func name() -> Text? {
        guard let name = text(), take(UInt8(ascii: ":")) else { return nil }
        return name
    }

    /// `true` or `false`.
    mutating func bool() -> Bool? {
        skipSpace()
        if takeWord("true") { return true }
        return takeWord("false") ? false : nil
    }

    /// A number without an exponent.
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
        // An exponent is left over here, which no comma or bracket is.
        return Double(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digit() -> UInt8? {
        guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Passes over a value that is a text, an integer, a boolean or null.
    mutating func skipScalar() -> Bool {
        skipSpace()
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): return text() != nil
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return true
        default: return takeWord("true") || takeWord("false") || takeWord("null")
        }
    }

    // MARK: Texts

    /// Where a text lies.
    struct Text {
        var start: Int
        var end: Int

        var count: Int { end - start }
    }

    /// Whether a text is a word.
    func matches(_ text: Text, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<text.count where bytes[text.start + index] != word.utf8Start[index] { return false }
        return true
    }

    /// A text as a string.
    func string(_ text: Text) -> String { String(decoding: bytes[text.start..<text.end], as: UTF8.self) }

    // MARK: - Private

    private mutating func takeWord(_ word: StaticString) -> Bool {
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
