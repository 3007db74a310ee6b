import ArgumentParser
import CarillonEngine
import CarillonSQL
import CarillonStore
import Foundation

/// The store of a command that works without the server.
struct StoreOptions: ParsableArguments {
    @Option(help: "The folder with the server's database.")
    var data: String?

    @Option(help: "postgres://…, or the path of an SQLite file.")
    var database: String?

    @Option(help: "The master key's file. (default: master.key in the folder)")
    var masterKeyFile: String?

    /// Whether one is given.
    var isGiven: Bool { data != nil || database != nil }

    /// The configuration of a server on that store.
    ///
    /// - Parameter environment: Determines the default data folder.
    /// - Returns: All defaults except the store and the key.
    func configuration(environment: [String: String] = ProcessInfo.processInfo.environment) -> ServerConfiguration {
        var configuration = ServerConfiguration(folder: DataFolder.url(configured: data, environment: environment))
        if let database { configuration.store = ServerStore(database) }
        if let masterKeyFile { configuration.masterKeyPath = masterKeyFile }
        return configuration
    }

    /// Runs a closure on the store; no server on an SQLite file can run meanwhile.
    ///
    /// - Throws: `CommandFailure` when the store does not exist; it is not created.
    func withStores<Value>(_ body: (Stores, ServerConfiguration) async throws -> Value) async throws -> Value {
        let configuration = configuration()
        if case .file(let path) = configuration.store, !FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(.missing, "There is no store at \(path).")
        }
        let database = try configuration.openDatabase()
        defer { database.close() }
        return try await body(try await Stores(migrating: database, now: SystemWallClock().now()), configuration)
    }
}
