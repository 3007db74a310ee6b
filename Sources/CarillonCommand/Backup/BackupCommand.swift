import ArgumentParser
import CarillonEngine
import CarillonStore
import Foundation

/// `carillon backup`: a copy of the store, also while the server runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into one file, also while the server runs.",
        discussion: """
            The copy is of one instant, and checked before the file appears. The master key is not in it: keep master.key \
            apart, without it the secrets in the copy cannot be read. For a server on PostgreSQL use pg_dump or \
            pg_basebackup with an archive of its log; docs/operations.md says how.
            """
    )

    @Argument(help: "The file to make; it must not exist.")
    var file: String

    @Option(help: "The folder with the server's database.")
    var data: String?

    func run() async throws {
        let folder = DataFolder.url(told: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        do {
            try await SQLiteBackup.copy(path, to: file)
        } catch {
            throw ValidationError(Failure.words(error))
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        print("\(file): \(size) bytes, checked. The master key is not in it.")
    }
}

/// `carillon restore`: a backup into an empty folder.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup into an empty data folder.",
        discussion: "The file is checked first. The server must be stopped; put the master key back beside it."
    )

    @Argument(help: "A file that carillon backup made.")
    var file: String

    @Option(help: "The folder for the server's database.")
    var data: String?

    func run() async throws {
        let folder = DataFolder.url(told: data, environment: ProcessInfo.processInfo.environment)
        let path = folder.appendingPathComponent("carillon.sqlite").path
        do {
            try DataFolder.make(folder)
            try await SQLiteBackup.restore(file, to: path)
        } catch {
            throw ValidationError(Failure.words(error))
        }
        print("\(path): restored and checked.")
        let key = folder.appendingPathComponent("master.key").path
        if !FileManager.default.fileExists(atPath: key) {
            print("There is no \(key): put the master key there before the server starts, or it cannot read secrets.")
        }
    }
}

private enum Failure {
    static func words(_ error: any Error) -> String {
        switch error {
        case StoreError.full: "The disk is full."
        case StoreError.unavailable(let words), StoreError.failed(let words): words
        case let failure as ServerSettings.Failure: failure.description
        default: "It failed."
        }
    }
}
