/// Whether the last part of a path can be a device token at all.
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
    /// - Parameters:
    ///   - digits: The digits, two a byte.
    ///   - token: Empty; holds the bytes afterwards if they are well formed, and nothing otherwise.
    init(hexadecimal digits: some Collection<UInt8>, into token: inout [UInt8]) {
        guard !digits.isEmpty else {
            self = .missing
            return
        }
        self = .malformed
        guard digits.count.isMultiple(of: 2), Self.lengths.contains(digits.count / 2) else { return }
        token.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let nibble = Self.nibble(digit) else {
                token.removeAll(keepingCapacity: true)
                return
            }
            if let first = high {
                token.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        self = .wellFormed
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
