import Dispatch
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// Holds one lock at a time while its holder works, on a connection and a thread of its own.
///
/// The server releases it after five seconds when the node is suspended or cut off. So use it only to avoid that nodes
/// do the same work twice.
final class PostgreSQLAdvisoryLocks: Sendable {
    /// Maximum time that a lock is held.
    private static let longest = Duration.seconds(4)

    private struct Request: Sendable {
        let lock: WriteLock
        let turn: Turn
        let answer: @Sendable (Bool) -> Void
    }

    /// A held lock.
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
    /// - Returns: The turn, which the caller ends; `nil` when none is available, and the caller continues without.
    func acquire(_ lock: WriteLock) async -> (any DatabaseTurn)? {
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
            // The semaphore's own timeout would become longer on Linux when the wall clock is set back.
            let deadline = DispatchTime.now() + .milliseconds(Int(Self.longest.milliseconds))
            DispatchQueue.global().asyncAfter(deadline: deadline) { [turn = request.turn] in turn.end() }
            request.turn.over.wait()
        } catch {
            request.answer(false)
        }
        connection.rollback()
    }
}
