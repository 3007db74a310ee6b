/// A generated `apns-id`: a random UUID (RFC 9562, version 4).
struct Identifier: Hashable, Sendable {
    private var high: UInt64
    private var low: UInt64

    init(using random: inout SplitMix64) {
        high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Writes the 36 characters, in upper case as Apple does.
    func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        var position = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                text[position] = UInt8(ascii: "-")
                position += 1
            }
            let word = digit < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(digit % 16))) & 15
            text[position] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
            position += 1
        }
    }

    var text: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            write(to: buffer)
            return 36
        }
    }
}
