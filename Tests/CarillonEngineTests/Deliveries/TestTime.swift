import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// Both clocks of a process, which only the test moves.
final class TestTime: WallClock, DispatchClock {
    private struct Sleeper {
        var deadline: ContinuousClock.Instant
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var wall: Timestamp
        var instant = ContinuousClock.now
        var nextSleeper = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    /// Signalled when a task begins to sleep.
    private let asleep = AsyncSignal()
    private let state: NIOLockedValueBox<State>

    init(_ wall: String = "2026-03-01T12:00:00Z") {
        state = NIOLockedValueBox(State(wall: Timestamp(wall)!))
    }

    func now() -> Timestamp { state.withLockedValue { $0.wall } }

    func now() -> ContinuousClock.Instant { state.withLockedValue { $0.instant } }

    func sleep(until deadline: ContinuousClock.Instant) async {
        let sleeper = state.withLockedValue { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLockedValue { state in
                    guard state.instant < deadline, !Task.isCancelled else { return true }
                    state.sleepers[sleeper] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() } else { asleep.signal() }
            }
        } onCancel: {
            state.withLockedValue { $0.sleepers.removeValue(forKey: sleeper) }?.continuation.resume()
        }
    }

    /// Moves both clocks.
    func advance(by duration: Duration) {
        let woken = state.withLockedValue { state in
            state.wall = state.wall.advanced(by: duration)
            state.instant += duration
            let woken = state.sleepers.filter { $0.value.deadline <= state.instant }
            for key in woken.keys { state.sleepers[key] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Moves both clocks to the time of another clock.
    func catchUp(with other: ContinuousClock.Instant) {
        let now: ContinuousClock.Instant = now()
        if other > now { advance(by: other - now) }
    }

    /// Sets only the wall clock, as an operator may.
    func setWall(by duration: Duration) {
        state.withLockedValue { $0.wall = $0.wall.advanced(by: duration) }
    }

    /// Waits until a task sleeps, and moves both clocks to the first wake-up; returns early when the task is cancelled.
    func advanceToNextSleeper() async {
        while !Task.isCancelled {
            let count = asleep.count
            let step: Duration? = state.withLockedValue { state in
                state.sleepers.values.map(\.deadline).min().map { $0 - state.instant }
            }
            if let step { return advance(by: step) }
            await asleep.wait(after: count)
        }
    }

    /// Advances time while the body runs: sleeping tasks wake at their time, without real waiting.
    ///
    /// Before each step `idle` lets woken tasks work; otherwise leases would end while their holders wait for the
    /// processor.
    func running<Value>(
        idle: @escaping @Sendable () async -> Void = {},
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                while !Task.isCancelled {
                    await idle()
                    await advanceToNextSleeper()
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Waits until a number of tasks sleep; returns early when the task is cancelled.
    func sleepers(_ number: Int) async {
        while !Task.isCancelled {
            let count = asleep.count
            if state.withLockedValue({ $0.sleepers.count >= number }) { return }
            await asleep.wait(after: count)
        }
    }
}
