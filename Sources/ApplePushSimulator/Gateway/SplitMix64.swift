/// A small random source for ids and faults, repeatable by its seed.
///
/// Not for secrets.
///
/// Sebastiano Vigna's splitmix64, in the public domain: https://prng.di.unimi.it/splitmix64.c
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// At least 0, below 1.
    mutating func nextFraction() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}
