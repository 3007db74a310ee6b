import CLibpq
import Foundation
import NIOConcurrencyHelpers

/// Ends the work of a session, from any thread.
///
/// The session's own thread returns at once, since its socket is shut down; the server is also asked to stop
/// (`PQcancel`), and undoes the transaction.
final class SessionCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var socket: Int32 = -1
        /// libpq's `PGcancel`; guarded by the lock, and freed by the code that removes it.
        nonisolated(unsafe) var request: OpaquePointer?
    }

    private let state = NIOLockedValueBox(State())

    var isCancelled: Bool { state.withLockedValue { $0.isCancelled } }

    func cancel() {
        let request = state.withLockedValue { state -> UInt? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            // Under the lock: the descriptor belongs to the session until `detach`.
            if state.socket >= 0 { _ = shutdown(state.socket, Int32(SHUT_RDWR)) }
            defer { state.request = nil }
            return state.request.map { UInt(bitPattern: $0) }
        }
        guard let request else { return }
        // It connects, which may block.
        DispatchQueue.global().async {
            let request = OpaquePointer(bitPattern: request)
            var words = [CChar](repeating: 0, count: 256)
            _ = PQcancel(request, &words, Int32(words.count))
            PQfreeCancel(request)
        }
    }

    /// Attaches a new connection; false when it was cancelled already.
    func attach(_ connection: OpaquePointer) -> Bool {
        state.withLockedValue { state in
            guard !state.isCancelled else { return false }
            state.socket = PQsocket(connection)
            PQfreeCancel(state.request)
            state.request = PQgetCancel(connection)
            return true
        }
    }

    /// Detaches the connection, before it is closed.
    func detach() {
        state.withLockedValue { state in
            state.socket = -1
            PQfreeCancel(state.request)
            state.request = nil
        }
    }
}
