import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// Both clocks of a node, which only a test moves; who waits, waits until its task is cancelled.
final class JobTime: WallClock, DispatchClock {
    private struct State {
        var wall = Timestamp("2026-11-26T00:00:00Z") ?? Timestamp(rawValue: 0)
        var instant = ContinuousClock.now
    }

    private let state = NIOLockedValueBox(State())

    /// The wall clock's time.
    var wall: Timestamp { now() }

    func now() -> Timestamp { state.withLockedValue { $0.wall } }

    func now() -> ContinuousClock.Instant { state.withLockedValue { $0.instant } }

    func advance(by duration: Duration) {
        state.withLockedValue { state in
            state.wall = state.wall.advanced(by: duration)
            state.instant += duration
        }
    }

    func sleep(until deadline: ContinuousClock.Instant) async {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        withExtendedLifetime(continuation) {}
    }
}

/// A monotonic clock with which a wait moves a test's clocks.
struct MovingTimer: DispatchClock {
    let time: JobTime

    func now() -> ContinuousClock.Instant { time.now() }

    func sleep(until deadline: ContinuousClock.Instant) async {
        let now: ContinuousClock.Instant = time.now()
        if deadline > now { time.advance(by: deadline - now) }
    }
}
