package import CarillonModel
import NIOConcurrencyHelpers

/// Generates identifiers ordered by time.
///
/// Each identifier of a source is greater than the one before, even when the clock is set back. Sources on other nodes
/// begin each millisecond at another random value, so duplicates are rare; the store's unique keys detect the rest.
package final class IDSource: Sendable {
    private struct State {
        var milliseconds: Int64 = 0
        var sequence: UInt32 = 0
    }

    private static let sequenceLimit: UInt32 = 1 << 18

    private let clock: any WallClock
    private let random: @Sendable () -> UInt32
    private let state = NIOLockedValueBox(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - clock: The time of the identifiers.
    ///   - random: The first value of a millisecond; only the lower 16 bits are used.
    package init(
        clock: any WallClock,
        random: @escaping @Sendable () -> UInt32 = { UInt32.random(in: .min ... .max) }
    ) {
        self.clock = clock
        self.random = random
    }

    package func next<ID: TimeOrderedID>(as type: ID.Type = ID.self) -> ID {
        let now = clock.now().rawValue
        let (milliseconds, sequence) = state.withLockedValue { state in
            if now > state.milliseconds {
                state = State(milliseconds: now, sequence: random() & 0xFFFF)
            } else {
                state.sequence += 1
                if state.sequence == Self.sequenceLimit {
                    state = State(milliseconds: state.milliseconds + 1, sequence: random() & 0xFFFF)
                }
            }
            return (state.milliseconds, state.sequence)
        }
        return ID(milliseconds: milliseconds, sequence: sequence)
    }
}
