import Foundation

/// A value that one task waits for and that others give; the first one given counts.
///
/// Unchecked: `lock` protects everything.
package final class OneShot<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value?
    private var waiter: CheckedContinuation<Value, Never>?

    package init() {}

    /// Gives the value.
    ///
    /// - Parameter newValue: The value.
    /// - Returns: Whether it is the first.
    @discardableResult
    package func give(_ newValue: Value) -> Bool {
        lock.lock()
        guard value == nil else {
            lock.unlock()
            return false
        }
        value = newValue
        let waiting = waiter
        waiter = nil
        lock.unlock()
        waiting?.resume(returning: newValue)
        return true
    }

    /// Waits for the value.
    ///
    /// One task may wait, once.
    package func wait() async -> Value {
        await withCheckedContinuation { continuation in
            lock.lock()
            guard let value else {
                waiter = continuation
                lock.unlock()
                return
            }
            lock.unlock()
            continuation.resume(returning: value)
        }
    }
}

/// Wakes the one task that waits, or the next one that will.
///
/// Unchecked: `lock` protects everything.
final class WakeSignal: @unchecked Sendable {
    private let lock = NSLock()
    private var isPending = false
    private var waiter: OneShot<Void>?

    func wake() {
        lock.lock()
        let waiting = waiter
        waiter = nil
        isPending = waiting == nil
        lock.unlock()
        waiting?.give(())
    }

    /// Waits until it is woken, the time is over or the task is cancelled.
    func wait(atMost seconds: TimeInterval, _ time: any TimeSource) async {
        let shot = OneShot<Void>()
        guard !takePending(or: shot) else { return }
        let watch = Task {
            try await time.sleep(seconds: seconds)
            shot.give(())
        }
        await withTaskCancellationHandler {
            await shot.wait()
        } onCancel: {
            shot.give(())
        }
        watch.cancel()
    }

    private func takePending(or shot: OneShot<Void>) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if isPending {
            isPending = false
            return true
        }
        waiter = shot
        return false
    }
}
