import Foundation
import GRDB
import GRDBSQLite
import NIOConcurrencyHelpers
package import StoreErrors

/// SQLite in one file for one process: concurrent readers and one writer (write-ahead log), with durable commits.
package final class SQLiteDatabase: Database {
    /// The settings.
    package struct Options: Sendable {
        /// How many reads run concurrently, 1 through 32.
        package var readerCount = 4
        /// The writer's page cache in KiB; each reader has an eighth of it, and otherwise uses the system's page cache.
        package var cacheSize = 32_768
        /// The page size of a new file in bytes: a power of two, 512 through 65,536.
        package var pageSize = 4_096
        /// How many writes of each priority may wait.
        package var writeCapacity = 20_000
        /// Maximum duration of a read.
        package var readTime = Duration.seconds(1)
        /// After how many new pages the log is moved into the file, concurrently with the writer: 64 MiB of 4 KiB
        /// pages.
        package var passiveCheckpointPages = 16_384
        /// From how many pages on the log is truncated, between two transactions: 256 MiB.
        package var truncatingCheckpointPages = 65_536
        /// How many threads help to sort when an index is built, 0 through 8.
        ///
        /// With any, data larger than the cache is sorted in temporary files, not in memory.
        package var sorterThreads = 0
        /// How much of the file is mapped into memory, in bytes: reads need no copy then, and the system counts pages that it
        /// may take back at any time as the process's.
        package var mappedSize: Int64 = 4_294_967_296
        /// Maximum number of pages of the file; for tests of a full disk.
        package var maximumPageCount: Int?
        /// Records statements; for tests.
        package var recorder: StatementRecorder?
        /// Records the statements that take long.
        package var times: StatementTimes? = StatementTimes()

        package init() {}
    }

    package let dialect = Dialect.sqlite
    private let database: any DatabaseWriter
    private let writer: GroupCommit
    private let checkpointer: Checkpointer?
    /// `nil` once the database is closed.
    private let lock: NIOLockedValueBox<ProcessLock?>
    private let isClosed = NIOLockedValueBox(false)
    private let writes = NIOLockedValueBox(0)
    private let connections: SQLiteConnections
    package let statementTimes: StatementTimes?
    private let readTime: Duration

    /// Opens or creates a file that only its owner can read.
    ///
    /// - Parameters:
    ///   - path: The file. `-wal`, `-shm` and `-lock` are next to it.
    ///   - options: The settings.
    ///   - functions: Registers functions on each connection, given as SQLite's handle.
    /// - Throws: ``StoreError/unavailable(_:)`` with the path when another process has it open or it cannot be opened.
    package convenience init(
        path: String,
        options: Options,
        functions: @escaping @Sendable (OpaquePointer) -> Void
    ) throws(StoreError) {
        let lock = try ProcessLock(databasePath: path)
        let descriptor = Foundation.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unavailable("Cannot open \(path): \(String(cString: strerror(errno))).")
        }
        Foundation.close(descriptor)
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration(options))
            var configuration = Self.configuration(options)
            configuration.busyMode = .timeout(0.005)
            let writer = GroupCommit(capacity: options.writeCapacity)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let checkpointer = Checkpointer(database: queue, writer: writer, options: options)
            try self.init(pool, writer, checkpointer, lock, options, functions)
        } catch {
            throw StoreError(error)
        }
    }

    /// Opens an empty database in memory, for tests; reads and writes are serialized there.
    package convenience init(
        inMemory options: Options,
        functions: @escaping @Sendable (OpaquePointer) -> Void
    ) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(configuration: Self.configuration(options))
            try self.init(queue, GroupCommit(capacity: options.writeCapacity), nil, nil, options, functions)
        } catch {
            throw StoreError(error)
        }
    }

    private init(
        _ database: any DatabaseWriter,
        _ writer: GroupCommit,
        _ checkpointer: Checkpointer?,
        _ lock: ProcessLock?,
        _ options: Options,
        _ functions: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        self.database = database
        self.writer = writer
        self.checkpointer = checkpointer
        self.lock = NIOLockedValueBox(lock)
        readTime = options.readTime
        connections = SQLiteConnections(options, functions: functions)
        statementTimes = options.times
        try database.writeWithoutTransaction { connection in
            try Self.prepareWriter(connection, options)
            if let handle = connection.sqliteConnection { checkpointer?.watch(handle) }
        }
        writer.start(name: "sqlite.writer") { [database, connections] body in
            database.unsafeReentrantWrite { connection in
                guard let connection = connections.of(connection) else { return }
                body(connection)
            }
        }
    }

    deinit { close() }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Value, StoreError>, Never>) in
            database.asyncRead { [connections, readTime] reader in
                continuation.resume(returning: Self.read(reader, connections, readTime, body))
            }
        }
        return try result.get()
    }

    package func write<Value: Sendable>(
        priority: WritePriority,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        // After the commit, and before the caller knows of it.
        defer { writes.withLockedValue { $0 += 1 } }
        return try await writer.submit(priority: priority, body)
    }

    package var writeCount: Int? { writes.withLockedValue { $0 } }

    /// Completes the waiting writes, truncates the log and closes the file; later calls throw.
    ///
    /// Blocks until then.
    package func close() {
        let wasClosed = isClosed.withLockedValue { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        // Another process may have the file by now.
        guard !wasClosed else { return }
        writer.stop()
        checkpointer?.finish()
        // A reader ends its transaction after its caller has continued. Statements are finalized when no reader is busy
        // any more, since finalizing uses the connection too.
        try? database.barrierWriteWithoutTransaction { [connections] _ in connections.removeAll() }
        try? database.close()
        lock.withLockedValue { $0 = nil }
    }

    // MARK: - Private

    private static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.maximumReaderCount = options.readerCount
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { connection in
            try connection.execute(
                sql: """
                    PRAGMA page_size = \(options.pageSize);
                    PRAGMA cache_size = -\(max(512, options.cacheSize / 8));
                    PRAGMA mmap_size = \(options.mappedSize);
                    PRAGMA temp_store = \(options.sorterThreads > 0 ? "FILE" : "MEMORY");
                    PRAGMA threads = \(options.sorterThreads);
                    PRAGMA trusted_schema = OFF;
                    """
            )
            // GRDB collects what each compiled statement reads and writes, for observers, which there are none of here. It
            // never empties these collections for statements that others compile: each would take longer than the one before.
            sqlite3_set_authorizer(connection.sqliteConnection, nil, nil)
        }
        return configuration
    }

    private static func prepareWriter(_ connection: GRDB.Database, _ options: Options) throws {
        try connection.execute(
            sql: """
                PRAGMA synchronous = FULL;
                PRAGMA cache_size = -\(options.cacheSize);
                """
        )
        if let pages = options.maximumPageCount {
            try connection.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }

    private static func read<Value>(
        _ reader: Result<GRDB.Database, any Error>,
        _ connections: SQLiteConnections,
        _ time: Duration,
        _ body: (any SQLConnection) throws -> Value
    ) -> Result<Value, StoreError> {
        do throws(StoreError) {
            let database: GRDB.Database
            do { database = try reader.get() } catch { throw StoreError(error) }
            guard let connection = connections.of(database) else {
                throw StoreError.unavailable("The database is closed.")
            }
            defer { connection.finishStatements() }
            return .success(
                try connection.limitTime(to: time) { () throws(StoreError) in
                    try StoreError.wrap { try body(connection) }
                }
            )
        } catch {
            return .failure(error)
        }
    }
}

/// The ``SQLiteConnection`` of each of GRDB's connections.
///
/// GRDB lends a connection to one thread at a time, so each entry is used by one thread at a time.
private final class SQLiteConnections: Sendable {
    /// Moves between threads together with the connection that GRDB lends.
    private struct Entry: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    /// By the address of the handle; `nil` after the database was closed.
    private let entries = NIOLockedValueBox<[UInt: Entry]?>([:])
    private let recorder: StatementRecorder?
    private let times: StatementTimes?
    private let functions: @Sendable (OpaquePointer) -> Void

    init(_ options: SQLiteDatabase.Options, functions: @escaping @Sendable (OpaquePointer) -> Void) {
        (recorder, times) = (options.recorder, options.times)
        self.functions = functions
    }

    /// Returns the connection of one of GRDB's connections; `nil` after the database was closed.
    func of(_ database: GRDB.Database) -> SQLiteConnection? {
        guard let handle = database.sqliteConnection else { return nil }
        let key = UInt(bitPattern: handle)
        if let entry = entries.withLockedValue({ $0?[key] }) { return entry.connection }
        let connection = SQLiteConnection(handle, recorder: recorder, times: times, functions: functions)
        let entry = Entry(connection: connection)
        let isOpen = entries.withLockedValue { entries in
            entries?[key] = entry
            return entries != nil
        }
        return isOpen ? entry.connection : nil
    }

    func removeAll() {
        entries.withLockedValue { $0 = nil }
    }
}
