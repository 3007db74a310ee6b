import CLibpq
import Foundation

/// The types of parameters and columns that matter for the binary form.
enum PostgreSQLType: Hashable, Sendable {
    case int2
    case int4
    case int8
    case float4
    case float8
    case bool
    case numeric
    case text
    case bytes
    /// Sent as text; read as bytes.
    ///
    /// An array has the number of its element's type.
    case other(element: UInt32)

    /// - Parameter number: The type's number in `pg_type`, which is the same on every server.
    init(_ number: Oid) {
        switch number {
        case 16: self = .bool
        case 17: self = .bytes
        case 20, 26: self = number == 20 ? .int8 : .int4
        case 21: self = .int2
        case 23: self = .int4
        case 18, 19, 25, 114, 705, 1042, 1043: self = .text
        case 700: self = .float4
        case 701: self = .float8
        case 1700: self = .numeric
        case 1001: self = .other(element: 17)
        case 1005: self = .other(element: 21)
        case 1007: self = .other(element: 23)
        case 1009: self = .other(element: 25)
        case 1016: self = .other(element: 20)
        default: self = .other(element: 0)
        }
    }

    /// The type of an array's elements.
    var elementID: UInt32 { if case .other(let element) = self { element } else { 0 } }

    /// The size of an array's integers.
    var elementWidth: Int {
        switch elementID {
        case 21: 2
        case 23: 4
        default: 8
        }
    }

    /// Reads a value as an integer, truncating fractions.
    func int64(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        switch self {
        case .int8 where bytes.count == 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case .int4 where bytes.count == 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case .int2 where bytes.count == 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case .bool: Int64(bytes[0])
        case .float8, .float4: Int64(exactly: double(bytes).rounded(.towardZero)) ?? 0
        case .numeric: Numeric(bytes).int64
        case .text, .bytes, .other: Int64(String(decoding: bytes, as: UTF8.self)) ?? 0
        case .int8, .int4, .int2: 0
        }
    }

    /// Reads a value as a floating-point number.
    func double(_ bytes: UnsafeRawBufferPointer) -> Double {
        switch self {
        case .float8 where bytes.count == 8:
            Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
        case .float4 where bytes.count == 4:
            Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
        case .numeric: Numeric(bytes).double
        case .text, .bytes, .other: Double(String(decoding: bytes, as: UTF8.self)) ?? 0
        case .int8, .int4, .int2, .bool: Double(int64(bytes))
        case .float8, .float4: 0
        }
    }
}

/// PostgreSQL's `numeric` in its binary form: digits of base 10,000, the weight of the first, a sign.
///
/// Sums of integers are of this type.
private struct Numeric {
    private let digits: [Int]
    private let weight: Int
    private let isNegative: Bool

    init(_ bytes: UnsafeRawBufferPointer) {
        func word(_ place: Int) -> Int {
            guard bytes.count >= 2 * place + 2 else { return 0 }
            return Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * place, as: Int16.self)))
        }
        let count = max(0, min(word(0), bytes.count / 2 - 4))
        weight = word(1)
        isNegative = word(2) == 0x4000
        digits = (0..<count).map { word(4 + $0) }
    }

    var int64: Int64 {
        var value: Int64 = 0
        guard weight >= 0 else { return 0 }
        for place in 0...weight {
            let (shifted, isOver) = value.multipliedReportingOverflow(by: 10_000)
            let (sum, isTooLarge) = shifted.addingReportingOverflow(Int64(place < digits.count ? digits[place] : 0))
            if isOver || isTooLarge { return isNegative ? .min : .max }
            value = sum
        }
        return isNegative ? -value : value
    }

    var double: Double {
        var value = 0.0
        for (place, digit) in digits.enumerated() { value += Double(digit) * pow(10_000, Double(weight - place)) }
        return isNegative ? -value : value
    }
}
