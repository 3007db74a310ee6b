import Dispatch
import Foundation
import NIOConcurrencyHelpers
package import StoreErrors

/// A PostgreSQL database that several nodes share.
///
/// Each connection has a thread, which it may block. Reads run on a few of them, each on a snapshot. Serving writes are
/// grouped into common transactions, on connections separate from those of bulk writes, each of which is a transaction
/// of its own: a chunk never delays a registration. A broken connection is replaced; meanwhile calls throw
/// `unavailable`.
package final class PostgreSQLDatabase: Database {
    /// The settings.
    package struct Options: Sendable {
        /// How many reads run concurrently, 1 through 100.
        package var readerCount = 4
        /// How many connections run serving writes, 1 through 32.
        package var servingWriterCount = 2
        /// How many connections run bulk writes, 1 through 32.
        package var bulkWriterCount = 2
        /// How many writes of each priority may wait, and how many reads.
        package var capacity = 20_000
        /// Maximum duration of a read.
        package var readTime = Duration.seconds(1)
        /// Maximum total time that a serving write waits for locks and in the queue.
        package var servingTime = Duration.seconds(5)
        /// As ``servingTime``, for bulk writes; their callers retry.
        package var bulkTime = Duration.seconds(20)
        /// How long one attempt waits for a lock.
        ///
        /// It is well below the second after which the server looks for deadlocks; writes that deadlock are run again.
        package var lockTime = Duration.milliseconds(250)
        /// How long a statement's plan is used: a plan for few rows must not be used for long after the table has
        /// grown.
        package var planLifetime = Duration.seconds(10)
        /// The sessions' `application_name`, unless the URL sets it.
        package var name = "carillon"
        /// Records statements; for tests.
        package var recorder: StatementRecorder?
        /// Records the statements that take long.
        package var times: StatementTimes? = StatementTimes()

        package init() {}
    }

    package let dialect = Dialect.postgreSQL
    /// The settings of sessions that listen to notifications.
    let settings: PostgreSQLSession.Settings
    private let readers: PostgreSQLReaders
    private let serving: GroupCommit
    private let bulk: GroupCommit
    /// A separate session, which is opened with the first heartbeat.
    private let heartbeats: GroupCommit
    private let turns: PostgreSQLAdvisoryLocks
    private let maintenance: PostgreSQLMaintenance
    private let isClosed = NIOLockedValueBox(false)
    package let statementTimes: StatementTimes?

    /// Connects to a database, and checks that it can be reached.
    ///
    /// - Parameters:
    ///   - target: A URL (`postgres://user@host/database?sslmode=verify-full`) or libpq's keywords (`host=… dbname=…`).
    ///   - options: The settings.
    /// - Throws: ``StoreError/unavailable(_:)``; the text never contains a password.
    package init(_ target: String, options: Options = Options()) throws(StoreError) {
        var own = PostgreSQLSession.Settings.make(target, options, time: .seconds(30), extra: [])
        own.marksCommits = true
        settings = own
        // Faults of the URL, the password or the server are reported at the start, not with the first request.
        _ = try PostgreSQLSession(settings)
        let capacity = options.capacity
        statementTimes = options.times
        readers = PostgreSQLReaders(
            .make(target, options, time: options.readTime, extra: ["default_transaction_read_only = on"]),
            count: options.readerCount,
            capacity: capacity
        )
        let times = WriteTimes(serving: options.servingTime, bulk: options.bulkTime)
        serving = GroupCommit(capacity: capacity, groupLimit: 100, times: times)
        bulk = GroupCommit(capacity: capacity, groupLimit: 1, times: times)
        func writing(lockTime: Duration) -> PostgreSQLSession.Settings {
            var settings = PostgreSQLSession.Settings.make(
                target,
                options,
                time: .seconds(20),
                extra: ["lock_timeout = \(max(1, lockTime.milliseconds))"]
            )
            settings.marksCommits = true
            return settings
        }
        maintenance = PostgreSQLMaintenance { patience in .maintenance(target, options, patience) }
        heartbeats = GroupCommit(capacity: 100, groupLimit: 10, times: times)
        turns = PostgreSQLAdvisoryLocks(writing(lockTime: .seconds(5)))
        let settings = writing(lockTime: options.lockTime)
        for _ in 0..<options.servingWriterCount { serving.start(name: "pg.serving", settings: settings) }
        for _ in 0..<options.bulkWriterCount { bulk.start(name: "pg.bulk", settings: settings) }
        // A heartbeat that is lost with the server has no value; it must not wait for a slow disk or a standby.
        var beating = PostgreSQLSession.Settings.make(
            target,
            options,
            time: .seconds(1),
            extra: ["lock_timeout = 250", "synchronous_commit = off"]
        )
        beating.connectTime = 2
        beating.answerTime = .seconds(2)
        beating.resolveTime = .seconds(2)
        beating.marksCommits = true
        heartbeats.start(name: "pg.heartbeat", settings: beating)
    }

    deinit { close() }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Value, StoreError>, Never>) in
            let job = PostgreSQLReaders.Job(
                run: { connection in continuation.resume(returning: connection.readTwice(body)) },
                fail: { error in continuation.resume(returning: .failure(error)) }
            )
            if let refusal = readers.submit(job) { job.fail(refusal) }
        }
        return try result.get()
    }

    package func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        switch priority {
        case .serving: try await serving.submit(priority: priority, body)
        case .bulk: try await bulk.submit(priority: priority, body)
        case .heartbeat: try await heartbeats.submit(priority: priority, body)
        }
    }

    package func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value {
        try await maintenance.run(patience, body)
    }

    package func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { await turns.acquire(lock) }

    /// Runs one statement of this program outside of transactions, on a separate session, as `CREATE DATABASE`
    /// requires.
    ///
    /// - Throws: ``StoreError``.
    package func runAlone(_ statement: String) async throws(StoreError) {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Void, StoreError>, Never>) in
            DispatchQueue.global().async { [settings] in
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        let session = try PostgreSQLSession(settings)
                        do throws(PostgreSQLFailure) {
                            try session.execute(statement: statement)
                        } catch {
                            throw error.error
                        }
                    }
                )
            }
        }
        try result.get()
    }

    package func close() {
        let wasClosed = isClosed.withLockedValue { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed else { return }
        maintenance.stop()
        serving.stop()
        bulk.stop()
        heartbeats.stop()
        readers.stop()
        turns.stop()
    }
}

extension PostgreSQLConnection {
    /// Reads, and repeats once on a new session, since a session that broke while idle is noticed only now.
    fileprivate func readTwice<Value>(
        _ body: (any SQLConnection) throws -> Value
    ) -> Result<Value, StoreError> {
        do throws(StoreError) {
            do throws(StoreError) {
                return .success(try read(body))
            } catch {
                guard wasLost else { throw error }
                return .success(try read(body))
            }
        } catch {
            return .failure(error)
        }
    }
}

extension GroupCommit {
    fileprivate func start(name: String, settings: PostgreSQLSession.Settings) {
        // Created here and used only by the new thread.
        nonisolated(unsafe) let connection = PostgreSQLConnection(settings)
        start(name: name, withConnection: { body in body(connection) }, atEnd: { connection.close() })
    }
}

extension PostgreSQLSession.Settings {
    /// The settings of every session.
    ///
    /// A server ends a transaction after five seconds whose node is suspended or cut off, so that its locks do not
    /// outlive its leases.
    fileprivate static func make(
        _ target: String,
        _ options: PostgreSQLDatabase.Options,
        time: Duration,
        extra: [String]
    ) -> Self {
        Self(
            target: target,
            name: options.name,
            answerTime: time + .seconds(10),
            planLifetime: options.planLifetime,
            preparation: ([
                "statement_timeout = \(time.milliseconds)", "idle_in_transaction_session_timeout = 5000",
                // A plan for the actual values would estimate one row for an App that is not in the statistics, and
                // then regard any index that begins with the App as good as the one with the whole key.
                "plan_cache_mode = force_generic_plan",
                // Every join looks up rows by key. A plan that knows neither the size of a page nor the number of an
                // App's rows would scan a whole table to join it.
                "enable_hashjoin = off", "enable_mergejoin = off", "enable_material = off",
            ] + common + extra).map { "SET " + $0 },
            recorder: options.recorder,
            times: options.times
        )
    }

    /// The settings of maintenance: only a lock, its own node or the loss of the connection ends it; the server checks
    /// the connection while it works.
    package static func maintenance(
        _ target: String,
        _ options: PostgreSQLDatabase.Options,
        _ patience: LockPatience
    ) -> Self {
        Self(
            target: target,
            name: options.name + " maintenance",
            answerTime: .seconds(100 * 86_400),
            marksCommits: true,
            preparation: ([
                "statement_timeout = 0", "idle_in_transaction_session_timeout = 5000",
                "lock_timeout = \(max(1, patience.lockTimeout.milliseconds))",
                "client_connection_check_interval = 5000",
            ] + common).map { "SET " + $0 }
        )
    }

    private static let common = [
        "tcp_keepalives_idle = 5",
        "tcp_keepalives_interval = 2",
        "tcp_keepalives_count = 3",
        "client_min_messages = error",
        "bytea_output = hex",
        // Every statement is short; compiling it would take longer than running it.
        "jit = off",
        // Every statement has an index. With statistics from when a table was small, scanning it would look cheaper.
        "enable_seqscan = off",
        // A page of rows, whose size is unknown when the plan is made, would start workers.
        "max_parallel_workers_per_gather = 0",
    ]
}
