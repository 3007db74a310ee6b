import Dispatch
import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers
import StoreErrors

/// Moves pages from the write-ahead log into the database, on a connection and a queue of its own, so that no write
/// waits for it.
///
/// A passive checkpoint runs beside the writer, but the log begins anew only when all of it was moved, which never
/// happens while writes go on. So the little that is left after it is moved between two transactions. The log's file
/// then keeps its size, since writing over it is cheaper than growing it, unless an import has made it very large.
final class Checkpointer: Sendable {
    private struct State {
        var isScheduled = false
        /// The log's length at the last checkpoint, in pages.
        var checkpointedPages = 0
    }

    /// How often what came in during a checkpoint is moved by another one.
    private static let repeats = 4
    /// So many pages are moved at once while nobody writes.
    private static let fewPages = 256

    private let database: DatabaseQueue
    private let writer: GroupCommit
    private let options: SQLiteDatabase.Options
    private let queue = DispatchQueue(label: "carillon.sqlite.checkpoint")
    private let state = NIOLockedValueBox(State())

    init(database: DatabaseQueue, writer: GroupCommit, options: SQLiteDatabase.Options) {
        self.database = database
        self.writer = writer
        self.options = options
    }

    /// Has the writer's connection tell the log's length after every commit.
    ///
    /// This takes the place of SQLite's own checkpoints, which would run inside a commit. The checkpointer must outlive
    /// the connection.
    func watch(_ handle: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().logHasGrown(to: Int(pages))
                return SQLITE_OK
            },
            context
        )
    }

    /// Moves everything, empties the log and closes the connection; for an orderly end, after the writer's.
    func finish() {
        queue.sync {
            _ = checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            try? database.close()
        }
    }

    // MARK: - Private

    private func logHasGrown(to pages: Int) {
        let mustRun = state.withLockedValue { state in
            if pages < state.checkpointedPages { state.checkpointedPages = 0 }
            guard !state.isScheduled, pages - state.checkpointedPages >= options.passiveCheckpointPages else {
                return false
            }
            state.isScheduled = true
            return true
        }
        if mustRun { queue.async { [weak self] in self?.run() } }
    }

    private func run() {
        var pages = checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        // What came in meanwhile is moved too, so that little is left to do while the writer stands still.
        for _ in 0..<Self.repeats {
            let before = pages
            pages = checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            if pages - before < Self.fewPages { break }
        }
        let isLarge = pages >= options.truncatingCheckpointPages
        writer.betweenTransactions { [weak self] in
            guard let self else { return }
            end(checkpoint(isLarge ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART))
        }
    }

    private func end(_ pages: Int) {
        state.withLockedValue { state in
            state.isScheduled = false
            state.checkpointedPages = pages
        }
    }

    /// - Returns: The log's length afterwards, in pages; a checkpoint that readers or a full disk cut short is tried
    ///   again after the next growth.
    private func checkpoint(_ mode: Int32) -> Int {
        database.unsafeReentrantWrite { connection in
            var pages: Int32 = 0
            let code = sqlite3_wal_checkpoint_v2(connection.sqliteConnection, "main", mode, &pages, nil)
            let isRestarted = code == SQLITE_OK && mode != SQLITE_CHECKPOINT_PASSIVE
            return isRestarted ? 0 : Int(max(0, pages))
        }
    }
}
