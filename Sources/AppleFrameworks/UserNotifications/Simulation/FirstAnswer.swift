import Foundation

/// An answer that counts once; later answers are counted and dropped.
///
/// Unchecked: `lock` protects everything.
final class FirstAnswer<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var answer: Value?
    private var waiter: CheckedContinuation<Carried<Value>, Never>?
    private var calls = 0

    /// Number of answers.
    var count: Int { lock.withLock { calls } }

    /// Sets the answer; only the first counts.
    func give(_ value: Value) {
        let waiting: CheckedContinuation<Carried<Value>, Never>? = lock.withLock {
            calls += 1
            guard answer == nil else { return nil }
            answer = value
            defer { waiter = nil }
            return waiter
        }
        waiting?.resume(returning: Carried(value))
    }

    /// Sets the answer unless there is one, without counting it.
    func giveUp(with value: Value) {
        let waiting: CheckedContinuation<Carried<Value>, Never>? = lock.withLock {
            guard answer == nil else { return nil }
            answer = value
            defer { waiter = nil }
            return waiter
        }
        waiting?.resume(returning: Carried(value))
    }

    /// Waits for the answer; one task may wait.
    func wait() async -> Carried<Value> {
        await withCheckedContinuation { continuation in
            let known: Value? = lock.withLock {
                if answer == nil { waiter = continuation }
                return answer
            }
            if let known { continuation.resume(returning: Carried(known)) }
        }
    }
}
