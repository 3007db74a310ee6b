import Dispatch
import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers
import StoreErrors

/// Moves pages from the write-ahead log into the database, on a separate connection and queue, so that no write waits
/// for it.
///
/// A passive checkpoint runs concurrently with the writer, but the log restarts only when all of it was moved, which
/// never happens during writes. So the small rest is moved between two transactions. The log's file then keeps its
/// size, since overwriting is cheaper than growing, unless an import has made it very large.
final class Checkpointer: Sendable {
    private struct State {
        var isScheduled = false
        /// The log's length at the last checkpoint, in pages.
        var checkpointedPages = 0
    }

    /// How many more checkpoints move what was written during a checkpoint.
    private static let repeats = 4
    /// How many pages are moved at once while no write runs.
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

    /// Observes the log's length after every commit of the writer's connection.
    ///
    /// This replaces SQLite's automatic checkpoints, which would run inside a commit. The checkpointer must outlive the
    /// connection.
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

    /// Moves all pages, truncates the log and closes the connection; at shutdown, after the writer's was closed.
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
        // Pages written meanwhile are moved too, so that the writer is paused only briefly.
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

    /// - Returns: The log's length afterwards, in pages; a checkpoint that readers or a full disk interrupt is repeated
    ///   after the next growth.
    private func checkpoint(_ mode: Int32) -> Int {
        database.unsafeReentrantWrite { connection in
            var pages: Int32 = 0
            let code = sqlite3_wal_checkpoint_v2(connection.sqliteConnection, "main", mode, &pages, nil)
            let isRestarted = code == SQLITE_OK && mode != SQLITE_CHECKPOINT_PASSIVE
            return isRestarted ? 0 : Int(max(0, pages))
        }
    }
}
