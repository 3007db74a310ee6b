package import StoreErrors

/// A session for long work without a waiting caller: migrations, index builds, partitions, retention.
///
/// Each call returns when its work is durable. Cancelling the task, or closing the database, ends a call within
/// moments; it throws then, and its transaction is undone.
package protocol MaintenanceSession: Sendable {
    var dialect: Dialect { get }

    /// Runs a transaction, and repeats it while others hold a lock that it needs.
    ///
    /// - Parameter body: The work. It may be run more than once; only the last run counts.
    /// - Returns: What the body returns.
    /// - Throws: ``StoreError``; nothing was committed then. `unavailable` when the patience is over.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs one statement of this program outside of transactions, as `CREATE INDEX CONCURRENTLY` and `VACUUM` require,
    /// and repeats it while others hold a lock that it needs.
    ///
    /// A `CREATE INDEX CONCURRENTLY` that fails leaves an invalid index, which the caller drops. On SQLite the
    /// statement runs in a transaction, so the caller uses another one there.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - waitsForLocks: Whether one attempt waits for locks without a limit: only for statements that block nobody
    ///     while they wait, such as those with `CONCURRENTLY`.
    /// - Throws: ``StoreError``.
    func execute(outsideTransaction statement: String, waitsForLocks: Bool) async throws(StoreError)
}

extension MaintenanceSession {
    /// As ``execute(outsideTransaction:waitsForLocks:)``, for a statement that must not wait long for a lock.
    package func execute(outsideTransaction statement: String) async throws(StoreError) {
        try await execute(outsideTransaction: statement, waitsForLocks: false)
    }
}

/// How maintenance waits for locks of others.
///
/// Transactions that want the lock later queue behind a waiting attempt, so attempts are short and repeated.
package struct LockPatience: Sendable {
    /// How long one attempt waits for a lock, in whole milliseconds, at least one.
    package var lockTimeout = Duration.milliseconds(50)
    /// The pause after the first attempt; it doubles with each.
    package var firstPause = Duration.milliseconds(100)
    package var longestPause = Duration.seconds(10)
    /// The maximum total time of one transaction or statement; `nil` for no limit.
    package var limit: Duration?
    /// Called after each attempt that met a lock; it must not block.
    package var onWait: @Sendable (LockWait) -> Void = { _ in }

    package init() {}

    /// Returns the pause after an attempt that met a lock.
    ///
    /// - Parameter wait: The attempts so far.
    /// - Returns: `nil` when the patience is over.
    func pause(after wait: LockWait) -> Duration? {
        var pause = firstPause
        for _ in 1..<max(1, min(wait.attempts, 32)) where pause < longestPause { pause = pause * 2 }
        pause = min(pause, longestPause)
        guard let limit else { return pause }
        return wait.elapsed + pause < limit ? pause : nil
    }
}

/// The wait of maintenance for a lock so far.
package struct LockWait: Hashable, Sendable {
    /// The number of attempts that met a lock, at least one.
    package var attempts: Int
    /// The time since the first attempt.
    package var elapsed: Duration
}

extension Database {
    /// With one process and one writer, maintenance is a bulk write between others.
    package func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await StoreError.wrap { try await body(BulkWriteMaintenance(database: self)) }
    }

    /// As ``maintenance(patience:_:)``, with the default patience.
    package func maintenance<Value: Sendable>(
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await maintenance(patience: LockPatience(), body)
    }
}

/// Maintenance on a database with one writing process.
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
