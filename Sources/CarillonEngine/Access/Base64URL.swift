/// Base64 with `-` and `_` and without padding (RFC 4648 §5).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
            for index in 0...group.count { characters.append(alphabet[Int(bits >> (18 - 6 * index)) & 63]) }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Decodes a text; `nil` when a character or the length is invalid.
    package static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for character in characters {
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
    @inline(__always)
    static func digit(_ character: UInt8) -> UInt8? {
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
    @inline(__always)
    static func character(_ bits: UInt64) -> UInt8 {
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
