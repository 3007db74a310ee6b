/// The properties of a payload that determine how it is presented, found in one pass over the bytes.
struct PayloadSummary: Hashable, Sendable {
    /// Whether the payload is a well-formed JSON object.
    ///
    /// Apple accepts others too, but no phone shows them.
    var isObject = false
    /// Whether `aps.alert` is present, so that something is shown.
    var hasAlert = false
    /// Where the value of `carillon.o`, the Occurrence's id, is in the payload.
    var occurrence: Range<Int>?

    /// Deeper nesting counts as malformed, to bound the stack.
    static let deepestNesting = 64

    init(of payload: [UInt8]) {
        self = payload.withUnsafeBufferPointer { bytes in
            var reader = PayloadReader(bytes: bytes)
            return reader.read()
        }
    }

    fileprivate init() {}
}

/// Parses JSON (RFC 8259) without allocations.
private struct PayloadReader {
    /// The role of an object in the payload.
    enum Place {
        case root
        case aps
        case carillon
        case elsewhere
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var summary = PayloadSummary()

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func read() -> PayloadSummary {
        skipSpace()
        guard peek() == UInt8(ascii: "{"), skipObject(in: .root, depth: 0) else { return PayloadSummary() }
        skipSpace()
        guard position == bytes.count else { return PayloadSummary() }
        summary.isObject = true
        return summary
    }

    // MARK: - Private

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func skipObject(in place: Place, depth: Int) -> Bool {
        guard depth < PayloadSummary.deepestNesting, consume("{") else { return false }
        skipSpace()
        if consume("}") {
            return true
        }
        repeat {
            skipSpace()
            guard let key = skipString() else { return false }
            skipSpace()
            guard consume(":") else { return false }
            skipSpace()
            guard skipMember(key, of: place, depth: depth) else { return false }
            skipSpace()
        } while consume(",")
        return consume("}")
    }

    private mutating func skipMember(_ key: Range<Int>, of place: Place, depth: Int) -> Bool {
        let start = position
        switch place {
        case .root where isText(key, "aps"):
            return skipValue(in: .aps, depth: depth)
        case .root where isText(key, "carillon"):
            return skipValue(in: .carillon, depth: depth)
        case .aps where isText(key, "alert"):
            summary.hasAlert = peek() == UInt8(ascii: "{") || peek() == UInt8(ascii: "\"")
            return skipValue(in: .elsewhere, depth: depth)
        case .carillon where isText(key, "o"):
            guard skipValue(in: .elsewhere, depth: depth) else { return false }
            summary.occurrence = start..<position
            return true
        default:
            return skipValue(in: .elsewhere, depth: depth)
        }
    }

    private mutating func skipValue(in place: Place, depth: Int) -> Bool {
        switch peek() {
        case UInt8(ascii: "{"): skipObject(in: place, depth: depth + 1)
        case UInt8(ascii: "["): skipArray(depth: depth + 1)
        case UInt8(ascii: "\""): skipString() != nil
        case UInt8(ascii: "t"): skipWord("true")
        case UInt8(ascii: "f"): skipWord("false")
        case UInt8(ascii: "n"): skipWord("null")
        default: skipNumber()
        }
    }

    private mutating func skipArray(depth: Int) -> Bool {
        guard depth < PayloadSummary.deepestNesting, consume("[") else { return false }
        skipSpace()
        if consume("]") {
            return true
        }
        repeat {
            skipSpace()
            guard skipValue(in: .elsewhere, depth: depth) else { return false }
            skipSpace()
        } while consume(",")
        return consume("]")
    }

    /// - Returns: The range between the quotation marks; nil when the string is malformed.
    private mutating func skipString() -> Range<Int>? {
        guard consume("\"") else { return nil }
        let start = position
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return start..<position - 1
            case UInt8(ascii: "\\"):
                guard let escaped = peek(), "\"\\/bfnrtu".utf8.contains(escaped) else { return nil }
                position += 1
            case 0..<0x20:
                return nil
            default:
                break
            }
        }
        return nil
    }

    private mutating func skipWord(_ word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard peek() == word.utf8Start[offset] else { return false }
            position += 1
        }
        return true
    }

    private mutating func skipNumber() -> Bool {
        _ = consume("-")
        guard skipDigits() else { return false }
        if consume("."), !skipDigits() {
            return false
        }
        if consume("e") || consume("E") {
            _ = consume("+") || consume("-")
            return skipDigits()
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        return position > start
    }

    private func isText(_ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount
            && range.indices.allSatisfy { bytes[$0] == text.utf8Start[$0 - range.lowerBound] }
    }
}
