import CarillonModel
import NIOConcurrencyHelpers

/// Lets few fetched files be imported at once, and one of an App: each is in memory several times while it is read.
final class ImportTurns: Sendable {
    private struct Waiter {
        var id: UInt64
        var app: AppID
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var running: Set<AppID> = []
        /// Those that came first stand first.
        var waiters: [Waiter] = []
        var nextID: UInt64 = 0
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    /// Does work when it is an App's turn.
    ///
    /// - Returns: The work's result; `nil` when the task is cancelled before its turn.
    func run<Value>(_ app: AppID, _ work: () async -> Value) async -> Value? {
        guard await acquire(app) else { return nil }
        defer { release(app) }
        return await work()
    }

    // MARK: - Private

    private func acquire(_ app: AppID) async -> Bool {
        let id = state.withLockedValue { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLockedValue { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.running.count < limit, !state.running.contains(app) else {
                        state.waiters.append(Waiter(id: id, app: app, continuation: continuation))
                        return nil
                    }
                    state.running.insert(app)
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLockedValue { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func release(_ app: AppID) {
        let next = state.withLockedValue { state -> Waiter? in
            state.running.remove(app)
            guard let index = state.waiters.firstIndex(where: { !state.running.contains($0.app) }) else { return nil }
            let next = state.waiters.remove(at: index)
            state.running.insert(next.app)
            return next
        }
        next?.continuation.resume(returning: true)
    }
}
