import NIOConcurrencyHelpers

/// A dispatcher's ``SendWindow``, shared by its Chunks: they wait for room in it.
package final class SendPermits: Sendable {
    /// A request for room, granted or waiting.
    struct Ticket: Sendable {
        fileprivate let id: Int
        let request: SendWindow.Request
        /// Whether it had its room at once.
        let isGranted: Bool
    }

    private struct State {
        var window: SendWindow
        /// Requests that were granted or withdrawn before anybody waited for them.
        var early: [Int: Bool] = [:]
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: NIOLockedValueBox<State>

    package init(_ limits: SendWindow.Limits) {
        state = NIOLockedValueBox(State(window: SendWindow(limits)))
    }

    /// Whether another batch would find room.
    package var hasRoom: Bool { state.withLockedValue { $0.window.hasRoom } }

    /// How many notifications are in the window.
    package var total: Int { state.withLockedValue { $0.window.total } }

    /// How many notifications may ask for room together.
    func largestRequest(isReplaceable: Bool) -> Int {
        state.withLockedValue { $0.window.largestRequest(isReplaceable: isReplaceable) }
    }

    /// Asks for room; a ticket that is not granted is waited for by ``granted(_:)``, once.
    func ask(_ request: SendWindow.Request) -> Ticket {
        resume { state in
            let (id, isGranted, others) = state.window.ask(request)
            return (Ticket(id: id, request: request, isGranted: isGranted), others.map { ($0, true) })
        }
    }

    /// Waits until a ticket has its room.
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

    /// Ends the wait for a ticket, unless it has its room meanwhile.
    func withdraw(_ ticket: Ticket) {
        resume { state in
            let (granted, wasWaiting) = state.window.withdraw(ticket.id)
            return ((), granted.map { ($0, true) } + (wasWaiting ? [(ticket.id, false)] : []))
        }
    }

    /// Gives room back.
    func release(_ request: SendWindow.Request) {
        resume { state in ((), state.window.release(request).map { ($0, true) }) }
    }

    // MARK: - Private

    /// Changes the window, then tells those whose wait is over, outside the lock.
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
