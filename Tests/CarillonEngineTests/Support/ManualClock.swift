import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// A wall clock that a test moves.
final class ManualClock: WallClock {
    private let time: NIOLockedValueBox<Timestamp>

    init(_ start: Timestamp = Timestamp(rawValue: 1_800_000_000_000)) { time = NIOLockedValueBox(start) }

    func now() -> Timestamp { time.withLockedValue { $0 } }

    func advance(milliseconds: Int64) {
        time.withLockedValue { $0 = Timestamp(rawValue: $0.rawValue + milliseconds) }
    }

    func set(_ now: Timestamp) { time.withLockedValue { $0 = now } }
}
