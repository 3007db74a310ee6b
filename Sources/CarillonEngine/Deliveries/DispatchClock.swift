/// The monotonic clock of deadlines, independent of the wall clock.
package protocol DispatchClock: Sendable {
    func now() -> ContinuousClock.Instant

    /// Waits until an instant; returns early only when the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant) async
}

/// The machine's clock.
package struct SystemDispatchClock: DispatchClock {
    package init() {}

    package func now() -> ContinuousClock.Instant { ContinuousClock.now }

    package func sleep(until deadline: ContinuousClock.Instant) async {
        // Only cancellation throws, and the caller checks for that.
        try? await Task.sleep(until: deadline, clock: .continuous)
    }
}
