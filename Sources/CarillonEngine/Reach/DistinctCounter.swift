/// Counts different numbers in bounded memory: exactly up to a limit, and within about one percent above it.
///
/// Above the limit it is a HyperLogLog sketch of 16,384 registers, whose standard error is 0.8 percent.
struct DistinctCounter: Sendable {
    /// How many are counted exactly; a set of them takes some tens of megabytes.
    static let exactLimit = 1_000_000
    private static let bits = 14

    private let limit: Int
    private var seen: Set<UInt64> = []
    private var registers: [UInt8] = []

    init(exactLimit: Int = Self.exactLimit) { limit = exactLimit }

    /// How many different numbers there were.
    var count: Int { registers.isEmpty ? seen.count : estimate }

    mutating func insert(_ number: UInt64) {
        guard registers.isEmpty else {
            sketch(number)
            return
        }
        seen.insert(number)
        guard seen.count > limit else { return }
        registers = Array(repeating: 0, count: 1 << Self.bits)
        for number in seen { sketch(number) }
        seen = []
    }

    // MARK: - Private

    private var estimate: Int {
        let size = Double(registers.count)
        let sum = registers.reduce(0.0) { $0 + 1 / Double(UInt64(1) << UInt64($1)) }
        let raw = 0.7213 / (1 + 1.079 / size) * size * size / sum
        let empty = registers.count { $0 == 0 }
        // Few numbers leave registers empty, which tell more.
        guard raw <= 2.5 * size, empty > 0 else { return Int(raw.rounded()) }
        return Int((size * Self.logarithm(size / Double(empty))).rounded())
    }

    private mutating func sketch(_ number: UInt64) {
        // The last steps of SplitMix64 spread numbers that follow each other.
        var hash = number &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        hash ^= hash >> 31
        let place = Int(hash >> UInt64(64 - Self.bits))
        let rest = hash << UInt64(Self.bits)
        let rank = UInt8(min(rest.leadingZeroBitCount, 64 - Self.bits) + 1)
        registers[place] = max(registers[place], rank)
    }

    /// The natural logarithm of a number from 1 up.
    private static func logarithm(_ value: Double) -> Double {
        // log(m · 2^e) = e · log 2 + log m, and log m = 2 · artanh((m − 1) / (m + 1)).
        let fraction = (value.significand - 1) / (value.significand + 1)
        var (term, sum, power) = (fraction, 0.0, 1.0)
        while term > 1e-17 {
            sum += term / power
            term *= fraction * fraction
            power += 2
        }
        return Double(value.exponent) * 0.693_147_180_559_945_3 + 2 * sum
    }
}
