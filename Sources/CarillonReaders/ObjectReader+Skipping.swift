/// What is passed over: a refused object, and what is no object.
extension ObjectReader {
    mutating func processSkipped(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        if open.last == UInt8(ascii: "?") { return try processNoObject(byte, body) }
        if isInString { return note(inString: byte) }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): skippedDepth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            if skippedDepth > 0 {
                skippedDepth -= 1
            } else if open.count > base + 1 {
                open.removeLast()
            } else {
                try endObject(body)
            }
        default: break
        }
    }

    /// Passes over what is no object: it ends with its line, and as an element of an array also with the element.
    mutating func processNoObject(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        guard base > 0 else {
            if byte == 0x0A { try endObject(body) }
            return
        }
        if isInString { return note(inString: byte) }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): skippedDepth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard skippedDepth == 0 else {
                skippedDepth -= 1
                return
            }
            try endObject(body)
            if byte == UInt8(ascii: "]") { try processOutside(byte, body) }
        case UInt8(ascii: ","), 0x0A:
            if skippedDepth == 0 { try endObject(body) }
        default: break
        }
    }

    mutating func note(inString byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }
}
