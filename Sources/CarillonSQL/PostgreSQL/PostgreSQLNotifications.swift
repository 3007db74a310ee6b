import CLibpq
import Foundation
import NIOConcurrencyHelpers
import ServiceLifecycle
package import StoreErrors

/// Short notifications between the nodes on one database, by `LISTEN` and `NOTIFY` on a separate connection.
///
/// They only shorten waits: when one is lost, because a connection broke or a node was down, the node polls later.
package final class PostgreSQLNotifications: Sendable {
    private static let channel = "carillon"
    /// Maximum number of notifications that wait to be sent; further ones are dropped.
    private static let capacity = 1_000
    private static let longestBackoff = Duration.seconds(5)

    private struct State {
        var outgoing: [String] = []
        var isStopped = false
    }

    private let settings: PostgreSQLSession.Settings
    private let receive: @Sendable (String) -> Void
    private let joined: @Sendable () -> Void
    private let state = NIOLockedValueBox(State())
    /// A byte written into it wakes the thread, which waits for the server.
    private let pipe: (reading: Int32, writing: Int32)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - database: The nodes' database.
    ///   - receive: Called with each notification, including this node's own; it must not block.
    ///   - joined: Called whenever it begins to listen: earlier notifications may have been missed.
    /// - Throws: ``StoreError/unavailable(_:)`` when the process has no file descriptors left.
    package init(
        of database: PostgreSQLDatabase,
        receive: @escaping @Sendable (String) -> Void,
        joined: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw .unavailable("No file descriptors are left.") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        pipe = (ends[0], ends[1])
        settings = database.settings
        self.receive = receive
        self.joined = joined
    }

    deinit {
        close(pipe.reading)
        close(pipe.writing)
    }

    /// Sends a notification to all nodes soon; a notification that waits already is not sent twice.
    ///
    /// - Parameter notification: At most 1,000 bytes.
    package func notify(_ notification: String) {
        state.withLockedValue { state in
            guard state.outgoing.count < Self.capacity, !state.outgoing.contains(notification) else { return }
            state.outgoing.append(notification)
        }
        wake()
    }

    /// Listens until the service is shut down or the task is cancelled.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let thread = Thread { [self] in
                    listen()
                    continuation.resume()
                }
                thread.name = "pg.notifications"
                thread.start()
            }
        } onCancelOrGracefulShutdown: { [self] in
            stop()
        }
    }

    /// Ends the thread.
    package func stop() {
        state.withLockedValue { $0.isStopped = true }
        wake()
    }

    // MARK: - Private

    private var isStopped: Bool { state.withLockedValue { $0.isStopped } }

    private func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes the thread as well.
        _ = write(pipe.writing, &byte, 1)
    }

    private func listen() {
        var backoff = Duration.milliseconds(50)
        while !isStopped {
            if let session = try? PostgreSQLSession(settings) {
                backoff = .milliseconds(50)
                serve(session)
            } else {
                backoff = min(backoff * 2, Self.longestBackoff)
            }
            if !isStopped { wait(for: -1, Int32(backoff.milliseconds)) }
        }
    }

    /// Uses a session until it breaks.
    private func serve(_ session: PostgreSQLSession) {
        guard session.listen(to: Self.channel) else { return }
        joined()
        while !isStopped {
            for notification in session.notifications() { receive(notification) }
            let outgoing = state.withLockedValue { state in
                defer { state.outgoing = [] }
                return state.outgoing
            }
            for notification in outgoing where !session.notify(notification, on: Self.channel) { return }
            // Notifications that arrived with the answers are read in the next round.
            guard outgoing.isEmpty else { continue }
            wait(for: session.socket, 60_000)
            guard session.consume() else { return }
        }
    }

    private func wait(for socket: Int32, _ milliseconds: Int32) {
        var descriptors = [
            pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(pipe.reading, &bytes, bytes.count) > 0 {}
    }
}
