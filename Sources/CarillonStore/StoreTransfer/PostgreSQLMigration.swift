package import CarillonEngine
package import CarillonModel
package import CarillonSQL
import Dispatch
import Foundation

/// Moves everything from an SQLite file to an empty PostgreSQL database while the server goes on serving from the file.
///
/// First every table gets triggers that note which rows change. Then all rows are copied from one snapshot, then those
/// that changed, again and again, until hardly any are left. What remains is the time between the server's end and the
/// last changes' copy, in which nobody serves: seconds. PostgreSQL counts the rows of every table once they are copied,
/// while the server still serves; from then on both sides count what changes, must agree at the end, and the file is
/// marked, so that no server serves from it by mistake.
///
/// Deliveries and events go to partitions of their weeks. Nothing here has a time limit.
package struct PostgreSQLMigration: Sendable {
    /// How far a move has come.
    package enum Progress: Hashable, Sendable {
        case copied(table: String, rows: Int)
        /// PostgreSQL counted the rows that were copied.
        case counted(table: String)
        /// Rows that had changed were brought up to date.
        case caughtUp(changes: Int)
        /// Nothing is left but the changes that go on: the server may be stopped.
        case waitsForServer
    }

    /// A table's rows on both sides.
    package struct Count: Hashable, Sendable {
        package var table: String
        package var moved: Int64
        package var found: Int64
    }

    /// What the file's list of steps says once it was moved.
    package static let mark = "9999 moved to PostgreSQL"

    private let path: String
    private let target: String
    private let options: PostgreSQLDatabase.Options
    private let progress: @Sendable (Progress) -> Void

    /// Prepares a move.
    ///
    /// - Parameters:
    ///   - path: The SQLite file.
    ///   - target: The PostgreSQL database: a URL or libpq's words. Its schema is made here.
    ///   - options: How the database is opened.
    ///   - progress: Is told how far it has come.
    package init(
        path: String,
        target: String,
        options: PostgreSQLDatabase.Options = .init(),
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.path = path
        self.target = target
        self.options = options
        self.progress = progress
    }

    /// Moves, waits for the server to end, and finishes.
    ///
    /// - Parameter now: The time that the new schema is recorded with.
    /// - Returns: The rows of each table, the same on both sides.
    /// - Throws: ``StoreError``. The file is as it was then; the target is of no use.
    package func run(now: Timestamp) async throws(StoreError) -> [Count] {
        let database = try PostgreSQLDatabase(target, options: options)
        defer { database.close() }
        try await database.migrate(now: now)
        let weeks = try await onThread { () throws(StoreError) in
            let source = try TransferSource(path: path)
            return (deliveries: try source.weeks(of: "deliveries"), events: try source.weeks(of: "events"))
        }
        try await database.maintenance { session in
            // They are empty: nothing is in the way of a week.
            for (table, weeks) in [("deliveries", weeks.deliveries), ("events", weeks.events)] {
                let partitions = PartitionMaintenance(session: session, table: table)
                for week in weeks.sorted() { _ = try await partitions.make(week...week, at: now) }
            }
        }
        let retention = RetentionRepository(database: database)
        let newest = now.advanced(by: .seconds(86_400 * 21))
        _ = try await retention.makePartitions(from: now, through: newest, .thorough)
        var patience = LockPatience()
        patience.lockTimeout = .seconds(60)
        let settings = PostgreSQLSession.Settings.maintenance(target, options, patience)
        return try await onThread { () throws(StoreError) in try move(settings) }
    }

    // MARK: - Private

    /// Runs what blocks on a thread of its own.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Value, StoreError>, Never>) in
            let thread = Thread {
                continuation.resume(returning: Result { () throws(StoreError) in try body() })
            }
            thread.name = "move"
            thread.start()
        }
        return try result.get()
    }

    private func move(_ settings: PostgreSQLSession.Settings) throws(StoreError) -> [Count] {
        let source = try TransferSource(path: path)
        let steps = try source.steps()
        guard steps == Migration.all.map(\.name).sorted() else {
            throw .failed("The file's schema is of another version: start this version's server on it once.")
        }
        let tables = try source.tables()
        let target = TransferTarget(settings, tables)
        try target.checkThatEmpty()
        try forget(tables, source)
        try source.execute("BEGIN IMMEDIATE; " + TransferTable.makeLog + tables.map(\.triggers).joined() + "COMMIT")
        do throws(StoreError) {
            let counts = try copy(tables, source, target)
            try forget(tables, source)
            return counts
        } catch {
            try? forget(tables, source)
            throw error
        }
    }

    /// Takes the triggers and the notes away.
    private func forget(_ tables: [TransferTable], _ source: TransferSource) throws(StoreError) {
        try source.execute(
            "BEGIN IMMEDIATE; " + tables.map(\.dropTriggers).joined()
                + "DROP TABLE IF EXISTS \(TransferTable.log); COMMIT"
        )
    }

    private func copy(
        _ tables: [TransferTable],
        _ source: TransferSource,
        _ target: TransferTarget
    ) throws(StoreError) -> [Count] {
        var done = try copyAll(tables, source, target)
        var moved = target.counts
        for table in tables {
            try check(table, moved: moved[table] ?? 0, found: try target.count(table))
            try target.analyze(table)
            progress(.counted(table: table.name))
        }
        var isTold = false
        while true {
            // Taken before the changes are read: after that nobody writes any more.
            let lock = try? ProcessLock(databasePath: path)
            let (through, changes) = try catchUp(after: done, tables, source, target, &moved)
            done = through
            if changes > 0 { progress(.caughtUp(changes: changes)) }
            if lock != nil {
                var counts: [Count] = []
                for table in tables {
                    let (moved, found) = (moved[table] ?? 0, target.counts[table] ?? 0)
                    try check(table, moved: moved, found: found)
                    counts.append(Count(table: table.name, moved: moved, found: found))
                }
                try source.execute(
                    "INSERT INTO schema_migrations (name, applied_at) VALUES ('\(Self.mark)', 0)"
                )
                return counts
            }
            guard changes < 1_000 else { continue }
            if !isTold { progress(.waitsForServer) }
            isTold = true
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Copies all rows from one snapshot.
    ///
    /// - Returns: The last note of a change that the snapshot has.
    private func copyAll(
        _ tables: [TransferTable],
        _ source: TransferSource,
        _ target: TransferTarget
    ) throws(StoreError) -> Int64 {
        try source.reading { () throws(StoreError) in
            let last = try lastNote(source)
            for table in tables {
                let rows = try source.prepare(table.selectAll)
                progress(.copied(table: table.name, rows: try target.insertAll(rows, into: table)))
            }
            return last
        }
    }

    /// Brings rows up to date that changed after a note.
    ///
    /// All of them are deleted first and then inserted as they are now: keys that moved from row to row meanwhile are
    /// never there twice. Nobody looks at the target before it is whole, so that it needs no transaction for all of it.
    ///
    /// - Returns: The last note that is done, and how many rows there were.
    private func catchUp(
        after first: Int64,
        _ tables: [TransferTable],
        _ source: TransferSource,
        _ target: TransferTarget,
        _ moved: inout [TransferTable: Int64]
    ) throws(StoreError) -> (through: Int64, changes: Int) {
        try source.execute("BEGIN")
        defer { try? source.execute("COMMIT") }
        let last = try lastNote(source)
        guard last > first else { return (first, 0) }
        /// Gives the keys of a table's rows that changed, in portions.
        func changedKeys(_ table: TransferTable) throws(StoreError) -> (Int) throws(StoreError) -> [[SQLValue]] {
            let keys = try source.prepare(table.changedKeys)
            keys.bind(first, at: 1)
            keys.bind(last, at: 2)
            var isOver = false
            return { limit in
                guard !isOver else { return [] }
                let portion = try source.keys(keys, count: table.key.count, limit: limit)
                isOver = portion.count < limit
                return portion
            }
        }
        var changes = 0
        for table in tables { try target.delete(from: table, try changedKeys(table)) }
        for table in tables {
            let row = try source.prepare(table.selectOne)
            changes += try target.insert(into: table, row, try changedKeys(table))
            let added = try source.prepare(table.addedRows)
            added.bind(first, at: 1)
            added.bind(last, at: 2)
            moved[table, default: 0] += try source.values(added, as: Int64.self).first ?? 0
        }
        return (last, changes)
    }

    private func lastNote(_ source: TransferSource) throws(StoreError) -> Int64 {
        try source.number("SELECT COALESCE(MAX(seq), 0) FROM \(TransferTable.log)")
    }

    private func check(_ table: TransferTable, moved: Int64, found: Int64) throws(StoreError) {
        guard moved == found else {
            throw .failed("\(table.name) has \(moved) rows in the file and \(found) in PostgreSQL.")
        }
    }
}
