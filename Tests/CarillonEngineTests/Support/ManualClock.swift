import CarillonEngine
import CarillonModel
import Synchronization

/// A wall clock that a test moves.
final class ManualClock: WallClock {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp = Timestamp(rawValue: 1_800_000_000_000)) { time = Mutex(start) }

    func now() -> Timestamp { time.withLock { $0 } }

    func advance(milliseconds: Int64) {
        time.withLock { $0 = Timestamp(rawValue: $0.rawValue + milliseconds) }
    }

    func set(_ now: Timestamp) { time.withLock { $0 = now } }
}
