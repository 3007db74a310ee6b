import Dispatch
import Foundation
import NIOConcurrencyHelpers
import StoreErrors

/// The running maintenance sessions of a database.
final class PostgreSQLMaintenance: Sendable {
    /// Maximum number of concurrent sessions.
    static let limit = 8

    private struct State {
        var running: [ObjectIdentifier: SessionCancellation] = [:]
        var isStopped = false
    }

    private let settings: @Sendable (LockPatience) -> PostgreSQLSession.Settings
    private let state = NIOLockedValueBox(State())

    /// - Parameter settings: The settings of sessions.
    init(settings: @escaping @Sendable (LockPatience) -> PostgreSQLSession.Settings) { self.settings = settings }

    func run<Value: Sendable>(
        _ patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        let cancellation = SessionCancellation()
        let refusal: StoreError? = state.withLockedValue { state in
            guard !state.isStopped else { return .unavailable("The database is closed.") }
            guard state.running.count < Self.limit else {
                return .unavailable("\(Self.limit) maintenance sessions run already.")
            }
            state.running[ObjectIdentifier(cancellation)] = cancellation
            return nil
        }
        if let refusal { throw refusal }
        let session = PostgreSQLMaintenanceSession(settings(patience), patience, cancellation)
        defer {
            state.withLockedValue { $0.running[ObjectIdentifier(cancellation)] = nil }
            session.end()
        }
        return try await StoreError.wrap { try await body(session) }
    }

    /// Cancels running sessions and refuses new ones.
    func stop() {
        let running = state.withLockedValue { state in
            state.isStopped = true
            return state.running.values
        }
        for cancellation in running { cancellation.cancel() }
    }
}

/// A maintenance session; its calls run one after another on its own queue.
final class PostgreSQLMaintenanceSession: MaintenanceSession {
    private typealias Attempt<Value> = (result: Result<Value, StoreError>, isBlocked: Bool)

    let dialect = Dialect.postgreSQL
    private let queue = DispatchQueue(label: "pg.maintenance")
    private let patience: LockPatience
    private let cancellation: SessionCancellation
    /// Used only on the queue.
    nonisolated(unsafe) private let connection: PostgreSQLConnection

    init(_ settings: PostgreSQLSession.Settings, _ patience: LockPatience, _ cancellation: SessionCancellation) {
        self.patience = patience
        self.cancellation = cancellation
        var settings = settings
        settings.cancellation = cancellation
        connection = PostgreSQLConnection(settings)
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await patiently { connection throws(StoreError) in
            do throws(StoreError) {
                try connection.begin()
                let value = try StoreError.wrap { try body(connection) }
                connection.finishStatements()
                try connection.commit()
                return value
            } catch {
                connection.rollback()
                throw error
            }
        }
    }

    func execute(outsideTransaction statement: String, waitsForLocks: Bool) async throws(StoreError) {
        let timeout = patience.lockTimeout.milliseconds
        try await patiently { connection throws(StoreError) in
            guard waitsForLocks else { return try connection.executeAlone(statement) }
            try connection.executeAlone("SET lock_timeout = 0")
            // If the session is lost here, the next one has its own settings.
            defer { try? connection.executeAlone("SET lock_timeout = \(timeout)") }
            try connection.executeAlone(statement)
        }
    }

    /// Closes the connection once nothing runs on it.
    func end() { queue.async { [self] in connection.close() } }

    // MARK: - Private

    private func patiently<Value: Sendable>(
        _ step: @escaping @Sendable (PostgreSQLConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let begin = ContinuousClock.now
        var attempts = 0
        while true {
            let attempt = await attempt(step)
            guard case .failure(let error) = attempt.result else { return try attempt.result.get() }
            try checkCancelled()
            attempts += 1
            let wait = LockWait(attempts: attempts, elapsed: .now - begin)
            guard attempt.isBlocked, let pause = patience.pause(after: wait) else { throw error }
            patience.onWait(wait)
            try await rest(for: pause)
        }
    }

    private func attempt<Value: Sendable>(
        _ step: @escaping @Sendable (PostgreSQLConnection) throws(StoreError) -> Value
    ) async -> Attempt<Value> {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Attempt<Value>, Never>) in
                queue.async { [self] in
                    do throws(StoreError) {
                        continuation.resume(returning: (.success(try step(connection)), false))
                    } catch {
                        continuation.resume(returning: (.failure(error), connection.wasBlocked))
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Pauses in steps, so that closing the database is noticed soon.
    private func rest(for pause: Duration) async throws(StoreError) {
        let end = ContinuousClock.now + pause
        while true {
            try checkCancelled()
            let left = end - .now
            guard left > .zero else { return }
            // A cancelled task wakes up at once and is checked next.
            try? await Task.sleep(for: min(left, .milliseconds(200)))
        }
    }

    private func checkCancelled() throws(StoreError) {
        if Task.isCancelled || cancellation.isCancelled { throw .unavailable("Maintenance was cancelled.") }
    }
}
