import NIOConcurrencyHelpers

/// A dispatcher's ``SendWindow``, shared by its Chunks, which wait for room in it.
package final class SendPermits: Sendable {
    /// A request for permits, granted or waiting.
    struct Ticket: Sendable {
        fileprivate let id: Int
        let request: SendWindow.Request
        /// Whether it was granted at once.
        let isGranted: Bool
    }

    private struct State {
        var window: SendWindow
        /// Requests that were granted or withdrawn before their callers waited.
        var early: [Int: Bool] = [:]
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: NIOLockedValueBox<State>

    package init(_ limits: SendWindow.Limits) {
        state = NIOLockedValueBox(State(window: SendWindow(limits)))
    }

    /// Whether another batch would fit.
    package var hasRoom: Bool { state.withLockedValue { $0.window.hasRoom } }

    /// The number of notifications in the window.
    package var total: Int { state.withLockedValue { $0.window.total } }

    /// The maximum number of notifications of a request.
    func largestRequest(isReplaceable: Bool) -> Int {
        state.withLockedValue { $0.window.largestRequest(isReplaceable: isReplaceable) }
    }

    /// Requests permits; the caller of a ticket that is not granted waits once in ``granted(_:)``.
    func ask(_ request: SendWindow.Request) -> Ticket {
        resume { state in
            let (id, isGranted, others) = state.window.ask(request)
            return (Ticket(id: id, request: request, isGranted: isGranted), others.map { ($0, true) })
        }
    }

    /// Waits until a ticket is granted.
    ///
    /// - Returns: False when it was withdrawn, or the task is cancelled.
    func granted(_ ticket: Ticket) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isGranted = state.withLockedValue { state -> Bool? in
                    if let early = state.early.removeValue(forKey: ticket.id) { return early }
                    state.waiters[ticket.id] = continuation
                    return nil
                }
                if let isGranted { continuation.resume(returning: isGranted) }
            }
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// Withdraws a ticket, unless it was granted meanwhile.
    func withdraw(_ ticket: Ticket) {
        resume { state in
            let (granted, wasWaiting) = state.window.withdraw(ticket.id)
            return ((), granted.map { ($0, true) } + (wasWaiting ? [(ticket.id, false)] : []))
        }
    }

    /// Releases permits.
    func release(_ request: SendWindow.Request) {
        resume { state in ((), state.window.release(request).map { ($0, true) }) }
    }

    // MARK: - Private

    /// Changes the window, then resumes callers whose wait is over, outside the lock.
    private func resume<Value>(_ change: (inout State) -> (Value, [(id: Int, isGranted: Bool)])) -> Value {
        let (value, waiters) = state.withLockedValue { state in
            let (value, ended) = change(&state)
            let waiters = ended.compactMap { id, isGranted -> (CheckedContinuation<Bool, Never>, Bool)? in
                if let waiter = state.waiters.removeValue(forKey: id) { return (waiter, isGranted) }
                state.early[id] = isGranted
                return nil
            }
            return (value, waiters)
        }
        for (waiter, isGranted) in waiters { waiter.resume(returning: isGranted) }
        return value
    }
}
