import CarillonEngine
import Testing

/// A reader of what authenticators write, who may be anybody.
struct CBORReaderTests {
    /// Writes a value with lengths as short as they can be.
    private static func write(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .integer(let number): number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let values): head(4, UInt64(values.count)) + values.flatMap(write)
        case .map(let pairs): head(5, UInt64(pairs.count)) + pairs.flatMap { write($0.key) + write($0.value) }
        case .bool(let bool): [bool ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ kind: UInt8, _ number: UInt64) -> [UInt8] {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        switch number {
        case ..<24: return [kind << 5 | UInt8(number)]
        case ..<0x100: return [kind << 5 | 24] + bytes.suffix(1)
        case ..<0x1_0000: return [kind << 5 | 25] + bytes.suffix(2)
        case ..<0x1_0000_0000: return [kind << 5 | 26] + bytes.suffix(4)
        default: return [kind << 5 | 27] + bytes
        }
    }

    private static func make(_ random: inout some RandomNumberGenerator, depth: Int) -> CBORValue {
        switch UInt8.random(in: 0..<(depth > 1 ? 7 : 5), using: &random) {
        case 0: .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random))
        case 1:
            .bytes((0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        case 2: .text(String(repeating: "é", count: Int.random(in: 0..<40, using: &random)))
        case 3: .bool(Bool.random(using: &random))
        case 4: .null
        case 5: .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in make(&random, depth: depth - 1) })
        default:
            .map(
                Dictionary(
                    (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                        (make(&random, depth: depth - 1), make(&random, depth: depth - 1))
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        }
    }

    @Test("What is written is read, whole alone, and with what follows it apart")
    func reads() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let value = Self.make(&random, depth: 4)
            let bytes = Self.write(value)
            #expect(CBORReader.read(bytes) == value)
            #expect(CBORReader.read(bytes + [0]) == nil)
            let (found, rest) = CBORReader.readPrefix(of: bytes + [1, 2, 3]) ?? (.null, [])
            #expect(found == value && Array(rest) == [1, 2, 3])
            for length in 0..<min(bytes.count, 40) { #expect(CBORReader.read(bytes[..<length]) == nil) }
        }
    }

    @Test("Random bytes are a value or none, and end in any case")
    func survives() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<48, using: &random)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            if let value = CBORReader.read(bytes) { #expect(CBORReader.read(Self.write(value)) == value) }
        }
    }

    @Test(
        "What authenticators do not write is refused",
        arguments: [
            // Lengths beyond the end, as large as they can be; lengths that come later; tags; numbers with a point.
            [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xBA, 0xFF, 0xFF, 0xFF, 0xFF], [0x5F, 0x41, 0x00, 0xFF], [0xC0, 0x00], [0xF9, 0x3C, 0x00], [0xFB],
            // Numbers beyond 63 bits, text that is none, a key twice.
            [0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x61, 0xFF], [0xA2, 0x01, 0x01, 0x01, 0x02], [],
        ] as [[UInt8]]
    )
    func refuses(_ bytes: [UInt8]) { #expect(CBORReader.read(bytes) == nil) }

    @Test("Depth and number are bounded")
    func bounds() {
        let deep = [UInt8](repeating: 0x81, count: CBORReader.depth - 1) + [0x00]
        #expect(CBORReader.read(deep) != nil)
        #expect(CBORReader.read([0x81] + deep) == nil)
        func many(_ count: Int) -> [UInt8] {
            [0x99, UInt8(count >> 8), UInt8(count & 0xFF)] + Array(repeating: 0, count: count)
        }
        #expect(CBORReader.read(many(CBORReader.valueLimit - 1)) != nil)
        #expect(CBORReader.read(many(CBORReader.valueLimit)) == nil)
    }
}
