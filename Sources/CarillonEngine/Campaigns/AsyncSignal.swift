import NIOConcurrencyHelpers

/// Wakes waiting tasks.
///
/// A task that passes the count it has seen does not miss signals from before its wait.
package final class AsyncSignal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The number of signals so far; read it before reading the state that the signal is about.
    package var count: UInt64 { state.withLockedValue { $0.count } }

    package func signal() {
        let waiters = state.withLockedValue { state in
            state.count += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until a signal after a count, or until the task is cancelled.
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

    /// Waits as ``wait(after:)``, at most until an instant.
    package func wait(after count: UInt64, until deadline: ContinuousClock.Instant, by clock: any DispatchClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: count) }
            group.addTask { await clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }
}
