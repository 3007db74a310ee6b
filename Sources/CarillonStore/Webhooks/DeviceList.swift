import CarillonEngine

/// Device numbers in few bytes: sorted, each as its difference to the one before, seven bits a byte, lowest first.
enum DeviceList {
    /// Writes numbers, in any order, each once.
    static func write(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * numbers.count)
        var last: Int64 = 0
        for number in Set(numbers).sorted() {
            var rest = UInt64(bitPattern: number &- last)
            last = number
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes
    }

    /// Reads what was written; stops where it is damaged.
    static func read(_ bytes: [UInt8]) -> [DeviceNumber] {
        var numbers: [DeviceNumber] = []
        var (last, value, shift): (Int64, UInt64, UInt64) = (0, 0, 0)
        for byte in bytes {
            guard shift < 64 else { return numbers }
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            last &+= Int64(bitPattern: value)
            numbers.append(DeviceNumber(rawValue: last))
            (value, shift) = (0, 0)
        }
        return numbers
    }
}
