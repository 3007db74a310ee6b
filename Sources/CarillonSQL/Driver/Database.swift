package import StoreErrors

// How to use the driver
//
//     let apps = try await database.read { connection in
//         try connection.all(
//             "SELECT id, name FROM apps WHERE id > $1 ORDER BY id LIMIT $2", after, limit, as: (AppID, String).self
//         )
//     }
//     try await database.write { connection in
//         try connection.run("UPDATE apps SET name = $1 WHERE id = $2", name, id)
//     }
//
// - `read` runs concurrently with other reads and with the writer, on a snapshot, and is interrupted after a second.
// - `write` waits for the one writer thread, which runs all waiting writes in one transaction and answers them after
//   one fsync: when it returns, the write is durable. A closure that throws undoes only itself. A closure may run on
//   any thread and more than once (only the last run counts), must not block, and must not store the connection.
// - `.serving` (a person or an app waits) goes before `.bulk` (a dispatcher's chunk, an import). On the serving path, a
//   closure should take less than about 5 ms.
// - With four columns and more, or when several statements have them, an enum names them (`SQLColumn`): it writes the
//   lists of SELECT, INSERT and UPDATE, and a row is read by its cases.
// - Hot loops prepare the statement once, bind by index, and read by `XColumn.name.rawValue`, which is a constant:
//
//       let insert = try connection.prepare("INSERT INTO deliveries (app_id, device_number) VALUES ($1, $2)")
//       for device in devices {
//           insert.bind(app.rawValue, at: 1)
//           insert.bind(device.rawValue, at: 2)
//           try insert.run()
//       }
//
// - Text and bytes of a row: `bytes(_:)` accesses them in place until the next row, `string(_:)` copies.
// - On SQLite one write runs at a time; on PostgreSQL other writers, here and on other nodes, run concurrently and may
//   commit between two statements. A closure that reads and then writes something that depends on it either does both
//   in one statement, or takes a lock first: `try connection.lock(.device(id, app: app))`. The lock lasts until the
//   commit, needs no round trip and does nothing on SQLite. Take few locks, the widest first, and always in the same
//   order. A closure that meets a conflict anyway (a deadlock, a key that another transaction wrote meanwhile) is run
//   again automatically.
// - A schema change is a `Migration`; the owner of a schema has its migrations.

/// A database whose committed writes are durable.
package protocol Database: Sendable {
    var dialect: Dialect { get }

    /// How many writes there were: what was read after it had a value, is as stored for as long as it has that value.
    ///
    /// `nil` where other processes write too.
    var writeCount: Int? { get }

    /// The statements that took longest; `nil` where nobody notes them.
    var statementTimes: StatementTimes? { get }

    /// Reads on a snapshot of the database.
    ///
    /// - Throws: ``StoreError``; `unavailable` when it takes longer than a second.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Writes, and returns when the write is durable.
    ///
    /// - Throws: ``StoreError``, and then nothing of this write was committed: `full` when the disk is, `unavailable`
    ///   when too many writes wait already, the database is closed or cannot be reached. Only when a connection to
    ///   PostgreSQL breaks during the commit, and the server cannot be asked afterwards either, may a write have been
    ///   committed although it throws `unavailable`.
    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs work that may take long on a session without the time limits of reads and writes.
    ///
    /// On PostgreSQL it is a separate session, opened for this call. A transaction that meets a lock is undone after a
    /// moment and retried later, so that others do not queue behind it for long. Few such sessions run at a time; do
    /// not nest them. On SQLite its transactions are bulk writes.
    ///
    /// - Parameters:
    ///   - patience: How it waits for locks.
    ///   - body: The work; the session ends with it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``StoreError/unavailable(_:)`` when too many sessions of this kind run already.
    func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value

    /// Waits for a turn at work that several nodes would otherwise do at once.
    ///
    /// - Returns: The turn, which the caller ends; `nil` without other nodes, or when no turn is available.
    func turn(at lock: WriteLock) async -> (any DatabaseTurn)?

    /// Completes the waiting writes and closes the database; later calls throw.
    ///
    /// Blocks until then.
    func close()
}

extension Database {
    package var writeCount: Int? { nil }

    package var statementTimes: StatementTimes? { nil }

    package func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { nil }

    /// Writes before all bulk writes, and returns when the write is durable.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write(priority: .serving, body)
    }
}

/// What kind of caller waits for a write.
package enum WritePriority: Hashable, Sendable, CaseIterable {
    /// A request of an app or a person: these writes go first.
    case serving
    /// A dispatcher or an import: at least one of these goes with every second transaction.
    case bulk
    /// A dispatcher's heartbeat: a row or two, which wait for no other write where transactions run concurrently.
    case heartbeat
}

/// A turn at work for which other nodes wait.
package protocol DatabaseTurn: Sendable {
    /// Passes the turn on.
    func end()
}
