import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// A clock that is set from day to day while a history is made.
final class SampleClock: WallClock {
    private let time: NIOLockedValueBox<Timestamp>

    init(_ time: Timestamp) { self.time = NIOLockedValueBox(time) }

    func now() -> Timestamp { time.withLockedValue { $0 } }

    func set(_ time: Timestamp) { self.time.withLockedValue { $0 = time } }

    func advance(by duration: Duration) { time.withLockedValue { $0 = $0.advanced(by: duration) } }
}
