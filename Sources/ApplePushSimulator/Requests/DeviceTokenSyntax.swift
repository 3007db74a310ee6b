/// The syntax of a device token at the end of a path.
enum DeviceTokenSyntax {
    /// Nothing follows `/3/device/`.
    case missing
    /// Not hexadecimal, of odd length, too short or too long.
    case malformed
    case wellFormed

    /// Today's tokens have 32 bytes, those of Live Activities about 80.
    ///
    /// Apple calls the length subject to change.
    static let lengths = 32...256

    /// Decodes hexadecimal digits of either case.
    ///
    /// Runs for every request: without branches on the digits, which cannot be predicted.
    ///
    /// - Parameters:
    ///   - digits: The digits, two per byte.
    ///   - token: Must be empty; gets the bytes if they are well formed.
    init(hexadecimal digits: UnsafeBufferPointer<UInt8>, into token: inout [UInt8]) {
        guard !digits.isEmpty else {
            self = .missing
            return
        }
        self = .malformed
        let count = digits.count / 2
        guard digits.count.isMultiple(of: 2), Self.lengths.contains(count) else { return }
        let isGood = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
            var flaws: UInt8 = 0
            for position in 0..<count {
                let (high, low) = (digits[2 * position], digits[2 * position + 1])
                flaws |= Self.flaw(high) | Self.flaw(low)
                bytes[position] = Self.nibble(high) << 4 | Self.nibble(low) & 15
            }
            guard flaws == 0 else { return false }
            token.append(contentsOf: bytes)
            return true
        }
        if isGood {
            self = .wellFormed
        }
    }

    /// The same for text off the hot path.
    init(hexadecimal digits: [UInt8], into token: inout [UInt8]) {
        self = digits.withUnsafeBufferPointer { Self(hexadecimal: $0, into: &token) }
    }

    /// Not 0 when the character is not a hexadecimal digit.
    private static func flaw(_ digit: UInt8) -> UInt8 {
        let isDigit = (digit &- UInt8(ascii: "0")) < 10
        let isLetter = ((digit | 0x20) &- UInt8(ascii: "a")) < 6
        return (isDigit ? 0 : 1) & (isLetter ? 0 : 1)
    }

    /// Of a digit the lower half; of a letter, which has bit 6, nine more.
    private static func nibble(_ digit: UInt8) -> UInt8 {
        (digit & 15) &+ 9 &* (digit >> 6)
    }
}
