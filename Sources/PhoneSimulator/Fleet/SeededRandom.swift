import Carillon
import Foundation

/// Random numbers that are the same for the same seed (SplitMix64, which is public domain).
///
/// Unchecked: `lock` protects `state`.
package final class SeededRandom: RandomSource, @unchecked Sendable {
    private let lock = NSLock()
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package func next() -> UInt64 {
        lock.withLock {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
