package import StoreErrors

// How to use the driver
//
//     let apps = try await database.read { connection in
//         try connection.all("SELECT id, name FROM apps WHERE id > $1 ORDER BY id LIMIT $2", after, limit) { row in
//             (AppID(rawValue: row.int64(0)), row.string(1))
//         }
//     }
//     try await database.write { connection in
//         try connection.run("UPDATE apps SET name = $1 WHERE id = $2", name, id)
//     }
//
// - `read` runs beside other reads and beside the writer, on a snapshot, and is cut off after a second.
// - `write` waits for the one writer thread, which runs all that wait in one transaction and answers them after the
//   one fsync: when it returns, it is on the disk. A closure that throws undoes only itself. A closure may be run on any
//   thread and more than once (then only the last run counts), must not block, and must not keep the connection.
// - `.serving` (a person or an app waits) goes before `.bulk` (a dispatcher's chunk, an import). Keep one closure under
//   about 5 ms of work on the serving path.
// - Hot loops take the statement once and bind by index:
//
//       let insert = try connection.prepare("INSERT INTO deliveries (app_id, device_number) VALUES ($1, $2)")
//       for device in devices {
//           insert.bind(app.rawValue, at: 1)
//           insert.bind(device.rawValue, at: 2)
//           try insert.run()
//       }
//
// - Text and bytes of a row: `row.bytes(3)` gives them in place until the next row, `row.string(3)` copies.
// - On SQLite one write runs at a time; on PostgreSQL other writers, here and on other nodes, run beside this one and may
//   commit between two of its statements. A closure that reads and then writes what depends on it either says all of it
//   in one statement, or takes a lock first: `try connection.lock(.device(id, app: app))`. It lasts until the commit,
//   costs no round trip and nothing on SQLite. Take few, the widest first, and always in the same order. A closure that
//   loses a race after all (a deadlock, a key that somebody else wrote meanwhile) is run again by itself.
// - A schema change is a `Migration`; the steps of a schema are its owner's.

/// A database that keeps what it said it kept.
package protocol Database: Sendable {
    var dialect: Dialect { get }

    /// Reads on a snapshot of the database.
    ///
    /// - Throws: ``StoreError``; `unavailable` when it takes longer than a second.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Writes, and returns when the write is on the disk.
    ///
    /// - Throws: ``StoreError``, and then nothing of this write was kept: `full` when the disk is, `unavailable` when
    ///   too many writes wait already, the database is closed or cannot be reached. Only when a connection to
    ///   PostgreSQL breaks during the commit, and the server cannot be asked afterwards either, may a write have been
    ///   kept of which `unavailable` was thrown.
    func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value

    /// Lends a session for work that may take long, beside reads and writes and without their time limits.
    ///
    /// On PostgreSQL it is a session of its own, made for this call. A step of it that meets a lock is undone after a
    /// moment and tried again later, so that nobody queues behind it for long. Few run at a time; do not nest them. On
    /// SQLite its transactions are bulk writes.
    ///
    /// - Parameters:
    ///   - patience: How it waits for locks.
    ///   - body: What it does; the session ends with it.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; ``StoreError/unavailable(_:)`` when too many sessions of this kind run already.
    func maintenance<Value: Sendable>(
        patience: LockPatience,
        _ body: @Sendable (any MaintenanceSession) async throws -> Value
    ) async throws(StoreError) -> Value

    /// Waits for a turn at what several nodes would otherwise do at once, each for itself.
    ///
    /// - Returns: The turn, which the caller ends; `nil` where nobody else is, or when there is none to be had.
    func turn(at lock: WriteLock) async -> (any DatabaseTurn)?

    /// Finishes the writes that wait and closes the database; later calls throw. Blocks for that long.
    func close()
}

extension Database {
    package func turn(at lock: WriteLock) async -> (any DatabaseTurn)? { nil }

    /// Writes ahead of all bulk writes, and returns when the write is on the disk.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        try await write(priority: .serving, body)
    }
}

/// Who waits for a write.
package enum WritePriority: Hashable, Sendable, CaseIterable {
    /// An app or a person: these writes go first.
    case serving
    /// A dispatcher or an import: at least one of these goes with every second transaction.
    case bulk
    /// A dispatcher's sign of life: a row or two, which wait for none of the others where transactions run beside each
    /// other.
    case heartbeat
}

/// A turn at what others wait for meanwhile.
package protocol DatabaseTurn: Sendable {
    /// Lets the next one have it.
    func end()
}
