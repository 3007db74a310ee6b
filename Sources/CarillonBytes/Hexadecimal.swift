/// Hexadecimal text.
package enum Hexadecimal {
    /// The digits, in lower case.
    package static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    /// Encodes bytes in lower case.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text in either case; `nil` for an odd length or a character that is no digit.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // A sequence of unknown type costs a call for each of its bytes, so that all of it is copied first.
        text.withContiguousStorageIfAvailable(decoded) ?? Array(text).withUnsafeBufferPointer(decoded)
    }

    private static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        // An empty array is one object of the standard library for all threads, and its initializer would write to it.
        guard !text.isEmpty else { return [] }
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 2) { bytes, count in
            for place in 0..<(text.count / 2) {
                guard let high = digit(text[2 * place]), let low = digit(text[2 * place + 1]) else {
                    isValid = false
                    break
                }
                bytes[place] = high << 4 | low
                count = place + 1
            }
        }
        return isValid ? bytes : nil
    }

    /// The value of a digit in either case; `nil` for another character.
    @inlinable
    @inline(__always)
    package static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x61...0x66: character - 0x61 + 10
        case 0x41...0x46: character - 0x41 + 10
        default: nil
        }
    }
}
