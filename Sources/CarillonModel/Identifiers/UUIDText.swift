import CarillonBytes
import Foundation

/// UUIDs as text in lower case.
///
/// Foundation uses C's formatted input and output, which takes longer than the rest of a registration.
enum UUIDText {
    private static let length = 36

    /// Parses the 36-character form in either case; `nil` for anything else.
    static func uuid(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == length else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in 0..<length {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard text[index] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hexadecimal.digit(text[index]) else { return nil }
            if index < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        }
        let bytes = (high.bigEndian, low.bigEndian)
        return withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The 36-character form.
    static func text(_ uuid: UUID) -> String {
        String(unsafeUninitializedCapacity: length) { text in
            var position = 0
            withUnsafeBytes(of: uuid.uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    text[position] = character(byte >> 4)
                    text[position + 1] = character(byte & 15)
                    position += 2
                }
            }
            return length
        }
    }

    private static func character(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
