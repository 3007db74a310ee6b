import NIOConcurrencyHelpers

/// A value that is set once, and that others wait for.
final class OnceValue<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Value?, Never>])
        case over(Value?)
    }

    private let state = NIOLockedValueBox(State.waiting([]))

    /// The value; `nil` when it was cancelled.
    var value: Value? {
        get async {
            await withCheckedContinuation { continuation in
                let known: Value?? = state.withLockedValue { state in
                    switch state {
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    case .over(let value): return .some(value)
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// Sets the value; only the first one counts.
    func set(_ value: Value) { end(with: value) }

    /// Ends all waits without a value.
    func cancel() { end(with: nil) }

    private func end(with value: Value?) {
        let waiting = state.withLockedValue { state in
            guard case .waiting(let continuations) = state else { return [CheckedContinuation<Value?, Never>]() }
            state = .over(value)
            return continuations
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
