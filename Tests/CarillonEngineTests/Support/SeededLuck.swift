import NIOConcurrencyHelpers

/// Random numbers from a seed (SplitMix64).
final class SeededLuck: Sendable {
    private let seed: UInt64
    private let state: NIOLockedValueBox<UInt64>

    init(_ seed: UInt64) {
        self.seed = seed
        state = NIOLockedValueBox(seed)
    }

    /// Returns a number from 0 up to a limit, another one each time.
    func next(_ limit: Int) -> Int {
        let value = state.withLockedValue { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        return Int(Self.mix(value) % UInt64(limit))
    }

    /// Returns a number from 0 up to a limit, always the same for the same object and purpose.
    func roll(_ limit: Int, _ thing: Int64, _ purpose: UInt64) -> Int {
        Int(Self.mix(seed ^ UInt64(bitPattern: thing) &* 0x9E37_79B9_7F4A_7C15 ^ purpose << 48) % UInt64(limit))
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
