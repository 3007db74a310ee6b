import Dispatch
import Foundation
import NIOConcurrencyHelpers
package import StoreErrors

/// A PostgreSQL database that several nodes share.
///
/// Each connection blocks a thread of its own. Reads run on a few of them, each on a snapshot. Writes that an app or a
/// person waits for gather into common transactions, on connections apart from those of the dispatchers' bulk writes, of
/// which each is a transaction of its own: a chunk never makes a registration wait. A connection that breaks is made
/// anew; meanwhile calls are refused as `unavailable`.
package final class PostgreSQLDatabase: Database {
    /// How a database is opened.
    package struct Options: Sendable {
        /// How many reads run beside each other, 1 through 100.
        package var readerCount = 4
        /// How many connections write what apps and people wait for, 1 through 32.
        package var servingWriterCount = 2
        /// How many connections write what dispatchers and imports bring, 1 through 32.
        package var bulkWriterCount = 2
        /// How many writes of each priority may wait, and how many reads.
        package var capacity = 20_000
        /// How long a read may take.
        package var readTime = Duration.seconds(1)
        /// How long a write may wait for others' locks and in the queue, in all, that apps and people wait for.
        package var servingTime = Duration.seconds(5)
        /// As ``servingTime``, for what dispatchers and imports bring; they try again.
        package var bulkTime = Duration.seconds(20)
        /// How long one attempt waits for a lock.
        ///
        /// It is well below the second after which the server looks for deadlocks: writes that meet in one run again.
        package var lockTime = Duration.milliseconds(250)
        /// How old a plan of a statement gets: one that was made for few rows is not followed for long among many.
        package var planLifetime = Duration.seconds(10)
        /// What the server shows for our sessions (`application_name`), unless the URL says it.
        package var name = "carillon"
        /// Records what is run; for tests.
        package var recorder: StatementRecorder?

        package init() {}
    }

    package let dialect = Dialect.postgreSQL
    /// Where notifications are listened to.
    let settings: PostgreSQLSession.Settings
    private let readers: PostgreSQLReaders
    private let serving: GroupCommit
    private let bulk: GroupCommit
    /// A session of its own, which is made with the first heartbeat.
    private let heartbeats: GroupCommit
    private let turns: PostgreSQLAdvisoryLocks
    private let maintenance: PostgreSQLMaintenance
    private let isClosed = NIOLockedValueBox(false)

    /// Joins a database and makes sure that it can be reached.
    ///
    /// - Parameters:
    ///   - target: A URL (`postgres://user@host/database?sslmode=verify-full`) or libpq's words (`host=… dbname=…`).
    ///   - options: How it is opened.
    /// - Throws: ``StoreError/unavailable(_:)``; the text never has a password.
    package init(_ target: String, options: Options = Options()) throws(StoreError) {
        var own = PostgreSQLSession.Settings.make(target, options, time: .seconds(30), extra: [])
        own.marksCommits = true
        settings = own
        // What is wrong with the URL, the password or the server is said at the start and not with the first request.
        _ = try PostgreSQLSession(settings)
        let capacity = options.capacity
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
        // A heartbeat that is lost with the server was of no use; it must not wait for a slow disk or a standby.
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

    package func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { await turns.take(lock) }

    /// Runs one statement of ours outside of every transaction, on a session of its own, as `CREATE DATABASE` asks.
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
    /// Reads; a session that broke while nobody used it is noticed only now, so it is tried once more on a new one.
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
        // Made here and used by the new thread alone.
        nonisolated(unsafe) let connection = PostgreSQLConnection(settings)
        start(name: name, withConnection: { body in body(connection) }, atEnd: { connection.close() })
    }
}

extension PostgreSQLSession.Settings {
    /// What every session sets.
    ///
    /// A server ends a transaction whose node is frozen or cut off after five seconds, so that its locks do not outlive
    /// its leases.
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
                // Planned for the values at hand, an App that statistics do not know yet would be taken for a single
                // row, and any index that begins with the App for as good as the one of the whole key.
                "plan_cache_mode = force_generic_plan",
                // Every join looks its rows up by a key, one after the other. Where a plan knows neither how long a page
                // is nor how many rows an App has, it would read a table whole to join it.
                "enable_hashjoin = off", "enable_mergejoin = off", "enable_material = off",
            ] + common + extra).map { "SET " + $0 },
            recorder: options.recorder
        )
    }

    /// What a session of maintenance sets: nothing ends it but a lock, its own node or the loss of the connection, which
    /// the server looks for while it works.
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
        // Every statement has its index. Statistics from when a table was small would have a window of it be all there is.
        "enable_seqscan = off",
        // A page of rows, whose size is not known when the plan is made, would start workers.
        "max_parallel_workers_per_gather = 0",
    ]
}
