import NIOConcurrencyHelpers

/// Wakes those who wait for something to happen; what happens while nobody waits is not lost to who asks by count.
package final class AsyncSignal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// How often it rang; ask before looking at what it rings for.
    package var count: UInt64 { state.withLockedValue { $0.count } }

    package func signal() {
        let waiters = state.withLockedValue { state in
            state.count += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until it has rung since a count was taken, or the task is cancelled.
    package func wait(after count: UInt64) async {
        let waiter = state.withLockedValue { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLockedValue { state in
                    guard state.count == count, !Task.isCancelled else { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLockedValue { $0.waiters.removeValue(forKey: waiter) }?.resume()
        }
    }

    /// Waits as ``wait(after:)``, and at most until an instant.
    package func wait(after count: UInt64, until deadline: ContinuousClock.Instant, by clock: any DispatchClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: count) }
            group.addTask { await clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }
}
