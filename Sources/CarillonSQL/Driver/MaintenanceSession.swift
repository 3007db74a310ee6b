package import StoreErrors

/// A session for work that may take long and that nobody waits for: schema steps, index builds, partitions, retention.
///
/// Each call returns when its work is on the disk. Cancelling the task, or closing the database, ends a call within
/// moments; it throws then, and its transaction is undone.
package protocol MaintenanceSession: Sendable {
    var dialect: Dialect { get }

    /// Runs a transaction, and again from its beginning as often as others hold a lock that it needs.
    ///
    /// - Parameter body: What it does. It may be run more than once; only the last run counts.
    /// - Returns: What the body returns.
    /// - Throws: ``StoreError``; nothing was kept then. `unavailable` when the patience is over.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs one statement of ours outside of every transaction, as `CREATE INDEX CONCURRENTLY` and `VACUUM` ask, and
    /// again as often as others hold a lock that it needs.
    ///
    /// A `CREATE INDEX CONCURRENTLY` that fails leaves an invalid index behind, which the caller drops. On SQLite the
    /// statement runs in a transaction, so the caller chooses another one there.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - waitsForLocks: Whether one attempt waits for locks without end: only for a statement whose own waiting
    ///     keeps nobody else waiting, as the ones with `CONCURRENTLY`.
    /// - Throws: ``StoreError``.
    func execute(outsideTransaction statement: String, waitsForLocks: Bool) async throws(StoreError)
}

extension MaintenanceSession {
    /// As ``execute(outsideTransaction:waitsForLocks:)``, for a statement that must not wait long for a lock.
    package func execute(outsideTransaction statement: String) async throws(StoreError) {
        try await execute(outsideTransaction: statement, waitsForLocks: false)
    }
}

/// How maintenance waits for locks that others hold.
///
/// Whoever wants a lock after it waits behind it, so one attempt is short, and many are made.
package struct LockPatience: Sendable {
    /// How long one attempt waits for a lock, in whole milliseconds, at least one.
    package var lockTimeout = Duration.milliseconds(50)
    /// The pause after the first attempt; each later one is twice as long.
    package var firstPause = Duration.milliseconds(100)
    package var longestPause = Duration.seconds(10)
    /// How long all attempts of one transaction or statement may take together; `nil` is for ever.
    package var limit: Duration?
    /// Is told after each attempt that met a lock; it must not block.
    package var onWait: @Sendable (LockWait) -> Void = { _ in }

    package init() {}

    /// The pause after an attempt that met a lock.
    ///
    /// - Parameter wait: The attempts until now.
    /// - Returns: `nil` when the patience is over.
    func pause(after wait: LockWait) -> Duration? {
        var pause = firstPause
        for _ in 1..<max(1, min(wait.attempts, 32)) where pause < longestPause { pause = pause * 2 }
        pause = min(pause, longestPause)
        guard let limit else { return pause }
        return wait.elapsed + pause < limit ? pause : nil
    }
}

/// What maintenance has waited for a lock until now.
package struct LockWait: Hashable, Sendable {
    /// How many attempts met a lock, at least one.
    package var attempts: Int
    /// Since the first attempt.
    package var elapsed: Duration
}

extension Database {
    /// One process, one writer: maintenance is a bulk write between the others.
    package func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await StoreError.wrap { try await body(BulkWriteMaintenance(database: self)) }
    }

    /// As ``maintenance(patience:_:)``, with the usual patience.
    package func maintenance<Value: Sendable>(
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await maintenance(patience: LockPatience(), body)
    }
}

/// Maintenance on a database that only this process writes.
private struct BulkWriteMaintenance: MaintenanceSession {
    let database: any Database

    var dialect: Dialect { database.dialect }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        guard !Task.isCancelled else { throw .unavailable("Maintenance was cancelled.") }
        return try await database.write(priority: .bulk, body)
    }

    func execute(outsideTransaction statement: String, waitsForLocks: Bool) async throws(StoreError) {
        try await transaction { connection in try connection.execute(script: statement) }
    }
}
