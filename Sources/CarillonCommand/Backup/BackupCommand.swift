import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonStore
import Foundation

/// `carillon backup`: copies the store, also while the server runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into one file, also while the server runs.",
        discussion: """
            The copy is a snapshot, and checked before the file appears. A file that no server has open is refused, \
            unless --stopped confirms it: a migration or a restore leaves such files behind. The master key is not \
            included: store master.key separately, without it the secrets in the copy cannot be read. For a server on \
            PostgreSQL use pg_dump or pg_basebackup with an archive of its log; docs/operations.md says how.
            """
    )

    @Argument(help: "The file to make; it must not exist.")
    var file: String

    @Option(help: "The folder with the server's database.")
    var data: String?

    @Flag(help: "The server is stopped; otherwise a file that none has open is refused.")
    var stopped = false

    func run() async throws {
        let folder = DataFolder.url(configured: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        try BackupFiles.checkNew(file)
        try BackupFiles.checkExists(path, "database")
        do {
            try SQLiteBackup.checkIsServed(path, mayBeStopped: stopped)
            try await SQLiteBackup.copy(path, to: file, at: SystemWallClock().now())
        } catch {
            throw CommandFailure.described(error)
        }
        // The server shows when it was made; a folder that cannot be written costs only that.
        try? Data().write(to: URL(fileURLWithPath: ServerConfiguration.backupMark(of: path)))
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        print("\(file): \(size) bytes, checked. The master key is not in it.")
    }
}

/// `carillon restore`: restores a backup into an empty folder.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty data folder.",
        discussion: """
            The file is checked first. The server must be stopped; copy the master key beside it. The server that \
            starts on the restored store pauses every campaign that was due since the backup or was being sent then, \
            and lists them in its log: later deliveries are unknown. Resume or cancel them. A PostgreSQL database that \
            was restored with its own tools is marked by carillon mark-restored.
            """
    )

    @Argument(help: "A file of carillon backup.")
    var file: String

    @Option(help: "The folder for the server's database.")
    var data: String?

    func run() async throws {
        let folder = DataFolder.url(configured: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        try BackupFiles.checkExists(file, "file")
        do {
            try DataFolder.make(folder)
            try BackupFiles.checkNew(path, advice: ": restore into an empty folder")
            try await SQLiteBackup.restore(file, to: path)
        } catch {
            throw CommandFailure.described(error)
        }
        print("\(path): restored and checked.")
        print("The server pauses what was due since the backup when it starts: carillon campaigns list --state paused.")
        let key = folder.appendingPathComponent("master.key").path
        if !FileManager.default.fileExists(atPath: key) {
            print("\(key) is missing: copy the master key there before the server starts, or it cannot read secrets.")
        }
    }
}

/// `carillon mark-restored`: marks a database as restored with PostgreSQL's own tools.
struct MarkRestoredCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark-restored",
        abstract: "Have nothing sent by itself that was due since a backup, after a restore of PostgreSQL.",
        discussion: """
            Run it on the restored database before any server starts on it. The first server that starts pauses every \
            campaign that was due since the backup or was being sent then, and lists them in its log. Resume or cancel \
            them. A file of carillon backup needs no such mark: it has one.
            """
    )

    @Option(help: "postgres://USER@HOST/DATABASE, or a file. Also CARILLON_DATABASE.")
    var database: String?

    @Option(help: "The time of the backup, such as 2026-11-22T17:00:00Z. (default: now)")
    var backupAt: String?

    func run() async throws {
        guard let text = database ?? ProcessInfo.processInfo.environment["CARILLON_DATABASE"] else {
            throw ValidationError("The database is required: --database postgres://USER@HOST/DATABASE.")
        }
        let now = SystemWallClock().now()
        let time = backupAt.map { Timestamp($0) } ?? now
        guard let time, time <= now else {
            throw ValidationError("--backup-at is a time that is over, such as 2026-11-22T17:00:00Z.")
        }
        var configuration = ServerConfiguration(folder: DataFolder.url(configured: nil, environment: [:]))
        configuration.store = ServerStore(text)
        do {
            let database = try configuration.openDatabase()
            defer { database.close() }
            let stores = try await Stores(migrating: database, now: now)
            try await stores.restores.markRestored(from: time)
            await stores.record("carillon mark-restored")
        } catch {
            throw CommandFailure.described(error)
        }
        print("\(configuration.store.shown): marked as restored from a backup of \(time).")
    }
}

/// The files of a backup, checked before a long copy begins; the exit status tells which is wrong.
private enum BackupFiles {
    static func checkExists(_ path: String, _ kind: String) throws(CommandFailure) {
        guard access(path, F_OK) == 0 else { throw CommandFailure(.missing, "There is no \(kind) \(path).") }
    }

    /// Checks that a file can be created.
    static func checkNew(_ path: String, advice: String = "") throws(CommandFailure) {
        guard access(path, F_OK) != 0 else { throw CommandFailure(.cannotCreate, "\(path) exists already\(advice).") }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(folder, W_OK) == 0 else {
            throw CommandFailure(.cannotCreate, "Cannot make \(path): \(String(cString: strerror(errno))).")
        }
    }
}
