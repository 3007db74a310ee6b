/// An `apns-id` in its text form: the 36 characters of a UUID, stored without an allocation.
struct NotificationID: Sendable {
    private static let length = 36

    private var characters: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)

    /// Copies a client's id verbatim; nil when it is not a UUID.
    init?(_ value: UnsafeBufferPointer<UInt8>) {
        guard FieldSyntax.isUUID(value) else { return nil }
        withUnsafeMutableBytes(of: &characters) { $0.copyBytes(from: UnsafeRawBufferPointer(value)) }
    }

    /// Generates a random UUID (RFC 9562, version 4), by default in upper case as Apple does.
    init(using random: inout SplitMix64, isLowerCase: Bool = false) {
        let letters = UInt8(ascii: isLowerCase ? "a" : "A") - 10
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        withUnsafeMutableBytes(of: &characters) { text in
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                let nibble = UInt8(truncatingIfNeeded: (digit < 16 ? high : low) >> (60 - 4 * UInt64(digit % 16))) & 15
                text[position] = nibble + (nibble < 10 ? UInt8(ascii: "0") : letters)
                position += 1
            }
        }
    }

    var text: String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix(Self.length), as: UTF8.self) }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: characters) { try body(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.length))) }
    }
}
