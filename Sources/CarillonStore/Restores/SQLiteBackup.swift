package import CarillonEngine
package import CarillonModel
import CarillonSQL
import Foundation
import GRDBSQLite

/// Copies a database file, also one that a running server has open, and puts a copy back.
///
/// The copy is of one instant: a read transaction holds it while pages are copied a few at a time, so that the server
/// writes on beside it. Only its log cannot begin anew meanwhile, and grows by what is written.
package enum SQLiteBackup {
    /// How many pages go between two pauses.
    private static let pagesAtOnce: Int32 = 1_000
    private static let pause = Duration.milliseconds(2)

    /// Copies a database into a file that does not exist yet, and checks the copy.
    ///
    /// The file appears under its name only when it is whole, checked and on the disk.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - target: The file to make.
    ///   - now: The wall clock; the copy says when it was made, so that a server that starts on it sends nothing that
    ///     was due since by itself.
    ///   - progress: Is told how much is done, 0 through 1.
    /// - Throws: ``StoreError``; nothing is left at `target` then.
    package static func copy(
        _ path: String,
        to target: String,
        at now: Timestamp,
        progress: (Double) -> Void = { _ in }
    ) async throws(StoreError) {
        try await copy(path, to: target, mark: now, progress)
    }

    private static func copy(
        _ path: String,
        to target: String,
        mark: Timestamp?,
        _ progress: (Double) -> Void = { _ in }
    ) async throws(StoreError) {
        guard access(path, F_OK) == 0 else { throw .unavailable("There is no database \(path).") }
        guard access(target, F_OK) != 0 else { throw .unavailable("\(target) exists already.") }
        let part = target + ".part"
        unlink(part)
        do throws(StoreError) {
            try await copyPages(path, to: part, progress)
            if let mark { try self.mark(part, mark) }
            try check(part)
            try synchronize(part)
            guard rename(part, target) == 0 else { throw StoreError.unavailable("Cannot make \(target).") }
            try synchronize(folder(of: target))
        } catch {
            unlink(part)
            throw error
        }
    }

    /// Makes sure that a file is one to make backups of: a server runs on it.
    ///
    /// A job that saves a file which was left behind by a move or a restore saves nothing, and nobody notices.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - mayBeStopped: Whether a file that no server has open will do.
    /// - Throws: ``StoreError/unavailable(_:)`` saying what to do instead.
    package static func checkIsServed(_ path: String, mayBeStopped: Bool) throws(StoreError) {
        guard access(path, F_OK) == 0 else { throw .unavailable("There is no database \(path).") }
        let handle = try Handle(path)
        defer { handle.close() }
        guard try handle.text("SELECT name FROM schema_migrations WHERE name = '\(PostgreSQLMigration.mark)'") == nil
        else {
            throw .unavailable(
                "\(path) was moved to PostgreSQL and is no longer served. Back that database up: pg_dump --format=custom."
            )
        }
        guard !mayBeStopped else { return }
        do throws(StoreError) {
            let lock = try ProcessLock(databasePath: path)
            withExtendedLifetime(lock) {}
        } catch {
            guard case .unavailable = error else { throw error }
            return
        }
        throw .unavailable(
            """
            No server runs on \(path), so it may be one that was left behind by a restore. Name the folder of the server \
            that runs, or give --stopped when this is the one.
            """
        )
    }

    /// Puts a backup where a server will look for its database, which must not be there yet.
    ///
    /// - Parameters:
    ///   - file: The backup.
    ///   - path: Where the database is to be.
    /// - Throws: ``StoreError``; `unavailable` when there is a database already or the file is no whole backup.
    package static func restore(_ file: String, to path: String) async throws(StoreError) {
        guard access(file, F_OK) == 0 else { throw .unavailable("There is no file \(file).") }
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            throw .unavailable("\(path + suffix) exists already: restore into an empty folder.")
        }
        let lock = try ProcessLock(databasePath: path)
        defer { withExtendedLifetime(lock) {} }
        try check(file)
        try await copy(file, to: path, mark: try isMarked(file) ? nil : modificationTime(of: file))
    }

    // MARK: - Private

    private static func copyPages(
        _ path: String,
        to target: String,
        _ progress: (Double) -> Void
    ) async throws(StoreError) {
        let descriptor = open(target, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unavailable("Cannot make \(target): \(String(cString: strerror(errno))).") }
        close(descriptor)
        let source = try Handle(path)
        defer { source.close() }
        // From here on the source is of one instant.
        try source.run("BEGIN; SELECT count(*) FROM sqlite_schema")
        let copy = try Handle(target)
        defer { copy.close() }
        try copy.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
        guard let backup = sqlite3_backup_init(copy.pointer, "main", source.pointer, "main") else {
            throw copy.failure()
        }
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, pagesAtOnce)
            let (whole, rest) = (sqlite3_backup_pagecount(backup), sqlite3_backup_remaining(backup))
            progress(whole > 0 ? 1 - Double(rest) / Double(whole) : 1)
            if code == SQLITE_OK { try? await Task.sleep(for: pause) }
            if Task.isCancelled { code = SQLITE_INTERRUPT }
        }
        guard sqlite3_backup_finish(backup) == SQLITE_OK, code == SQLITE_DONE else { throw copy.failure() }
        // One file, without a log beside it.
        try copy.run("PRAGMA journal_mode = DELETE")
    }

    /// Whether a copy says when it was made; one that was made without ``copy(_:to:at:progress:)`` does not.
    private static func isMarked(_ file: String) throws(StoreError) -> Bool {
        let handle = try Handle(file)
        defer { handle.close() }
        return try handle.text("SELECT backup_at FROM restore_marks LIMIT 1") != nil
    }

    private static func mark(_ file: String, _ time: Timestamp) throws(StoreError) {
        let handle = try Handle(file)
        defer { handle.close() }
        try handle.run(
            """
            PRAGMA synchronous = FULL;
            INSERT OR IGNORE INTO restore_marks (backup_at) VALUES (\(time.rawValue));
            """
        )
    }

    private static func modificationTime(of file: String) throws(StoreError) -> Timestamp {
        var status = stat()
        guard stat(file, &status) == 0 else { throw .unavailable("Cannot read \(file).") }
        #if canImport(Darwin)
        return Timestamp(rawValue: Int64(status.st_mtimespec.tv_sec) * 1_000)
        #else
        return Timestamp(rawValue: Int64(status.st_mtim.tv_sec) * 1_000)
        #endif
    }

    /// Whether a file is a whole database of ours.
    private static func check(_ file: String) throws(StoreError) {
        let handle = try Handle(file)
        defer { handle.close() }
        guard try handle.text("PRAGMA integrity_check(1)") == "ok" else {
            throw .failed("\(file) is damaged.")
        }
        guard try handle.text("SELECT name FROM schema_migrations LIMIT 1") != nil else {
            throw .failed("\(file) is no database of Carillon's.")
        }
    }

    private static func folder(of file: String) -> String {
        URL(fileURLWithPath: file).deletingLastPathComponent().path
    }

    private static func synchronize(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable("Cannot open \(path).") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unavailable("Cannot write \(path) to the disk.") }
    }

    /// A connection of its own, which never moves pages from the log: that is the server's.
    private struct Handle {
        let pointer: OpaquePointer

        init(_ path: String) throws(StoreError) {
            var opened: OpaquePointer?
            let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
            guard code == SQLITE_OK, let opened else {
                sqlite3_close_v2(opened)
                throw .unavailable("Cannot open \(path).")
            }
            pointer = opened
            sqlite3_busy_timeout(opened, 5_000)
            sqlite3_wal_autocheckpoint(opened, 0)
            try run("PRAGMA trusted_schema = OFF")
        }

        func close() { sqlite3_close_v2(pointer) }

        func run(_ script: String) throws(StoreError) {
            guard sqlite3_exec(pointer, script, nil, nil, nil) == SQLITE_OK else { throw failure() }
        }

        /// The first column of the first row; `nil` when there is no row.
        func text(_ sql: String) throws(StoreError) -> String? {
            var statement: OpaquePointer?
            guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
            defer { sqlite3_finalize(statement) }
            switch sqlite3_step(statement) {
            case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) }
            case SQLITE_DONE: return nil
            default: throw failure()
            }
        }

        func failure() -> StoreError {
            let code = sqlite3_errcode(pointer)
            return code == SQLITE_FULL
                ? .full : .failed("SQLite code \(code): \(String(cString: sqlite3_errmsg(pointer)))")
        }
    }
}
