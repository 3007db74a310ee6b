/// The time that deadlines are taken from: it never goes back, whatever is done to the wall clock.
package protocol DispatchClock: Sendable {
    func now() -> ContinuousClock.Instant

    /// Waits until an instant; returns early only when the task is cancelled.
    func sleep(until deadline: ContinuousClock.Instant) async
}

/// The machine's own.
package struct SystemDispatchClock: DispatchClock {
    package init() {}

    package func now() -> ContinuousClock.Instant { ContinuousClock.now }

    package func sleep(until deadline: ContinuousClock.Instant) async {
        // Only cancellation throws, and then the caller looks for itself.
        try? await Task.sleep(until: deadline, clock: .continuous)
    }
}
