package import CarillonEngine
package import CarillonModel
import Dispatch
import Foundation

/// Moves everything from an SQLite file to an empty PostgreSQL database while the server goes on serving from the file.
///
/// First every table gets triggers that note which rows change. Then all rows are copied from one snapshot, then those
/// that changed, again and again, until hardly any are left. What remains is the time between the server's end and the
/// last changes' copy, in which nobody serves: seconds. At the end the rows are counted on both sides, and the file is
/// marked, so that no server serves from it by mistake.
package struct StoreMove: Sendable {
    /// How far a move has come.
    package enum Progress: Hashable, Sendable {
        case copied(table: String, rows: Int)
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
    private let progress: @Sendable (Progress) -> Void

    /// Prepares a move.
    ///
    /// - Parameters:
    ///   - path: The SQLite file.
    ///   - target: The PostgreSQL database: a URL or libpq's words. Its schema is made here.
    ///   - progress: Is told how far it has come.
    package init(path: String, target: String, progress: @escaping @Sendable (Progress) -> Void = { _ in }) {
        self.path = path
        self.target = target
        self.progress = progress
    }

    /// Moves, waits for the server to end, and finishes.
    ///
    /// - Parameter now: The time that the new schema is recorded with.
    /// - Returns: The rows of each table, the same on both sides.
    /// - Throws: ``StoreError``. The file is as it was then; the target is of no use.
    package func run(now: Timestamp) async throws(StoreError) -> [Count] {
        let database = try PostgreSQLDatabase(target)
        defer { database.close() }
        try await database.migrate(now: now)
        let settings = database.settings
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<[Count], StoreError>, Never>) in
            let thread = Thread {
                continuation.resume(returning: Result { () throws(StoreError) in try move(settings) })
            }
            thread.name = "move"
            thread.start()
        }
        return try result.get()
    }

    // MARK: - Private

    private func move(_ settings: PostgreSQLSession.Settings) throws(StoreError) -> [Count] {
        let source = try MoveSource(path: path)
        let steps = try source.steps()
        guard steps == Migration.all.map(\.name).sorted() else {
            throw .failed("The file's schema is of another version: start this version's server on it once.")
        }
        let tables = try source.tables()
        let target = MoveTarget(settings, tables)
        try target.checkThatEmpty()
        try forget(tables, source)
        try source.execute("BEGIN IMMEDIATE; " + MoveTable.makeLog + tables.map(\.triggers).joined() + "COMMIT")
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
    private func forget(_ tables: [MoveTable], _ source: MoveSource) throws(StoreError) {
        try source.execute(
            "BEGIN IMMEDIATE; " + tables.map(\.dropTriggers).joined() + "DROP TABLE IF EXISTS \(MoveTable.log); COMMIT"
        )
    }

    private func copy(
        _ tables: [MoveTable],
        _ source: MoveSource,
        _ target: MoveTarget
    ) throws(StoreError) -> [Count] {
        var done = try copyAll(tables, source, target)
        var isTold = false
        while true {
            // Taken before the changes are read: after that nobody writes any more.
            let lock = try? ProcessLock(databasePath: path)
            let (through, changes) = try catchUp(after: done, tables, source, target)
            done = through
            if changes > 0 { progress(.caughtUp(changes: changes)) }
            if lock != nil {
                let counts = try count(tables, source, target)
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
        _ tables: [MoveTable],
        _ source: MoveSource,
        _ target: MoveTarget
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
    /// never there twice.
    ///
    /// - Returns: The last note that is done, and how many rows there were.
    private func catchUp(
        after first: Int64,
        _ tables: [MoveTable],
        _ source: MoveSource,
        _ target: MoveTarget
    ) throws(StoreError) -> (through: Int64, changes: Int) {
        try source.reading { () throws(StoreError) in
            let last = try lastNote(source)
            guard last > first else { return (first, 0) }
            var changes = 0
            try target.transaction { () throws(StoreError) in
                for table in tables {
                    let keys = try source.prepare(table.changedKeys)
                    keys.bind(first, at: 1)
                    keys.bind(last, at: 2)
                    changes += try target.renew(keys, of: table, from: try source.prepare(table.selectOne))
                }
            }
            return (last, changes)
        }
    }

    private func lastNote(_ source: MoveSource) throws(StoreError) -> Int64 {
        try source.number("SELECT COALESCE(MAX(seq), 0) FROM \(MoveTable.log)")
    }

    private func count(
        _ tables: [MoveTable],
        _ source: MoveSource,
        _ target: MoveTarget
    ) throws(StoreError) -> [Count] {
        var counts: [Count] = []
        for table in tables {
            let count = Count(
                table: table.name,
                moved: try source.number(table.count),
                found: try target.count(table)
            )
            guard count.moved == count.found else {
                throw .failed("\(table.name) has \(count.moved) rows in the file and \(count.found) in PostgreSQL.")
            }
            counts.append(count)
        }
        try target.analyze()
        return counts
    }
}
