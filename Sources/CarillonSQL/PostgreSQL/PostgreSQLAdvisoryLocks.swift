import Dispatch
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// Holds one lock at a time for as long as somebody works, on a connection and a thread of its own.
///
/// The server lets go of it when the node is frozen or cut off, after five seconds. So nothing may depend on it but that
/// nodes do not do the same work twice.
final class PostgreSQLAdvisoryLocks: Sendable {
    /// The longest that a turn is held.
    private static let longest = Duration.seconds(4)

    private struct Request: Sendable {
        let lock: WriteLock
        let turn: Turn
        let answer: @Sendable (Bool) -> Void
    }

    /// A turn that somebody has.
    private final class Turn: DatabaseTurn {
        let over = DispatchSemaphore(value: 0)

        func end() { over.signal() }
    }

    private struct State {
        var requests: [Request] = []
        var isStarted = false
        var isStopped = false
    }

    private let settings: PostgreSQLSession.Settings
    private let state = NIOLockedValueBox(State())
    private let wake = DispatchSemaphore(value: 0)

    init(_ settings: PostgreSQLSession.Settings) { self.settings = settings }

    /// Waits for a lock.
    ///
    /// - Returns: The turn, which the caller ends; `nil` when there is none to be had: then it goes on without.
    func take(_ lock: WriteLock) async -> (any DatabaseTurn)? {
        let turn = Turn()
        let isTaken = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let request = Request(lock: lock, turn: turn, answer: { continuation.resume(returning: $0) })
            let (isStopped, mustStart) = state.withLockedValue { state -> (Bool, Bool) in
                guard !state.isStopped else { return (true, false) }
                state.requests.append(request)
                defer { state.isStarted = true }
                return (false, !state.isStarted)
            }
            if isStopped { return request.answer(false) }
            if mustStart { start() }
            wake.signal()
        }
        return isTaken ? turn : nil
    }

    func stop() {
        state.withLockedValue { $0.isStopped = true }
        wake.signal()
    }

    // MARK: - Private

    private func start() {
        let thread = Thread { [self] in
            let connection = PostgreSQLConnection(settings)
            while let request = next() { serve(request, connection) }
            connection.drop()
        }
        thread.name = "pg.turns"
        thread.start()
    }

    private func next() -> Request? {
        while true {
            wake.wait()
            let (request, isStopped) = state.withLockedValue { state in
                (state.requests.isEmpty ? nil : state.requests.removeFirst(), state.isStopped)
            }
            if let request { return request }
            if isStopped { return nil }
        }
    }

    private func serve(_ request: Request, _ connection: PostgreSQLConnection) {
        do throws(StoreError) {
            try connection.begin()
            try connection.lock(request.lock)
            try connection.flush()
            request.answer(true)
            // Not by the semaphore's own time limit, which lasts longer on Linux when the wall clock is set back.
            let deadline = DispatchTime.now() + .milliseconds(Int(Self.longest.milliseconds))
            DispatchQueue.global().asyncAfter(deadline: deadline) { [turn = request.turn] in turn.end() }
            request.turn.over.wait()
        } catch {
            request.answer(false)
        }
        connection.rollback()
    }
}
