/// The grammar of Apple's header fields, checked byte by byte.
enum FieldSyntax {
    /// A canonical UUID: 8-4-4-4-12 hexadecimal digits.
    ///
    /// Apple documents lower case, but generates ids in upper case, so both are accepted.
    static func isUUID(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard value.count == 36 else { return false }
        for position in 0..<36 {
            let byte = value[position]
            let isHyphen = position == 8 || position == 13 || position == 18 || position == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return false }
        }
        return true
    }

    static func isUUID(_ value: ArraySlice<UInt8>) -> Bool {
        value.withUnsafeBufferPointer { isUUID($0) }
    }

    /// A non-negative integer number of seconds; nil for anything else.
    static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
        guard (1...18).contains(value.count) else { return nil }
        var number: Int64 = 0
        for byte in value {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// `1`, `5` or `10`; nil for anything else.
    static func priority(_ value: ArraySlice<UInt8>) -> UInt8? {
        switch value.count {
        case 1 where value.first == UInt8(ascii: "1"): 1
        case 1 where value.first == UInt8(ascii: "5"): 5
        case 2 where value.elementsEqual("10".utf8): 10
        default: nil
        }
    }

    /// Letters, digits, dot, hyphen and underscore: the characters of a bundle identifier with Apple's suffixes.
    static func isTopic(_ value: ArraySlice<UInt8>) -> Bool {
        guard (1...255).contains(value.count) else { return false }
        return value.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (byte &- UInt8(ascii: "0")) < 10 || ((byte | 0x20) &- UInt8(ascii: "a")) < 6
    }
}
