/// Base64 with `-` and `_` and without padding (RFC 4648 §5).
package enum Base64URL {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes {
            bits = bits << 8 | UInt64(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(character(bits >> count))
            }
        }
        if count > 0 { text.append(character(bits << (6 - count))) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; `nil` when a character or the length is invalid.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text {
            guard let digit = digit(character) else { return nil }
            bits = (bits << 6 | UInt32(digit)) & 0xFFFF
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }

    /// The value of a character; `nil` when it is not in the alphabet.
    @inlinable
    @inline(__always)
    package static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x61...0x7A: character - 0x61 + 26
        case 0x30...0x39: character - 0x30 + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }

    /// The character for the lowest six bits.
    @inlinable
    @inline(__always)
    package static func character(_ bits: UInt64) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: bits & 63)
        return switch digit {
        case 0..<26: digit + 0x41
        case 26..<52: digit - 26 + 0x61
        case 52..<62: digit - 52 + 0x30
        case 62: 0x2D
        default: 0x5F
        }
    }
}
