import Foundation

/// A value that one task waits for and that another sets once.
///
/// Unchecked: `lock` protects everything.
package final class OneShot<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value?
    private var waiter: CheckedContinuation<Value, Never>?

    package init() {}

    /// Sets the value, unless it is set.
    ///
    /// - Parameter newValue: The value.
    /// - Returns: Whether it was not set before.
    @discardableResult
    package func complete(_ newValue: Value) -> Bool {
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

/// Wakes the task that waits, or the next one that does.
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
        waiting?.complete(())
    }

    /// Waits until the signal, the end of the time or the task's cancellation.
    func wait(atMost seconds: TimeInterval, _ time: any TimeSource) async {
        let shot = OneShot<Void>()
        guard !consumePending(or: shot) else { return }
        let watch = Task {
            try await time.sleep(seconds: seconds)
            shot.complete(())
        }
        await withTaskCancellationHandler {
            await shot.wait()
        } onCancel: {
            shot.complete(())
        }
        watch.cancel()
    }

    private func consumePending(or shot: OneShot<Void>) -> Bool {
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
