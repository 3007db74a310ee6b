import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonStore
import Foundation

/// `carillon rotate-master-key`: replaces the master key, and seals everything again.
struct RotateMasterKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-master-key",
        abstract: "Replace the master key and seal all secrets in the store anew.",
        discussion: """
            A server on SQLite must be stopped meanwhile: one run is enough. Nodes on PostgreSQL continue. There the \
            first run adds a new key to this machine's key file and exits; copy that file to all other nodes, which \
            reload it automatically, and run the command again: it seals everything again, makes the new key the \
            store's only one and removes the old one from the file. After an interruption run it again; meanwhile the \
            store works with the file that has both keys.

            The old key is left beside the file, with its id in the name: earlier backups need it. Store it with their \
            keys.
            """
    )

    @OptionGroup var store: StoreOptions

    @Option(help: "A file with the new key of 32 bytes. (default: a new random key)")
    var newKeyFile: String?

    @Flag(help: "On PostgreSQL: this is the only node, or none runs; do it all in one run.")
    var onlyNode = false

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() async throws {
        do {
            let outcome = try await rotate()
            print(json ? try outcome.json : outcome.text)
        } catch {
            throw CommandFailure.described(error)
        }
    }

    /// Rotates the key, as far as this run goes.
    ///
    /// - Parameter wait: Waits until all nodes have reloaded the file.
    /// - Returns: The outcome.
    /// - Throws: `CommandFailure` or ``StoreError``; run it again then.
    func rotate(
        waiting wait: @escaping @Sendable () async throws -> Void = {
            try await Task.sleep(for: MasterKeyWatch.interval * 3)
        }
    ) async throws -> MasterKeyOutcome {
        try await store.withStores { stores, configuration in
            let isShared = if case .postgreSQL = configuration.store { true } else { false }
            let outcome = try await MasterKeyReplacement(
                stores: stores,
                path: configuration.masterKeyPath,
                newKeyPath: newKeyFile,
                isInSteps: isShared && !onlyNode,
                // An SQLite file has no other nodes.
                wait: { if isShared { try await wait() } }
            ).run()
            await stores.record("carillon rotate-master-key", app: nil, object: outcome.newKey)
            return outcome
        }
    }
}

/// The outcome of a run of `carillon rotate-master-key`.
struct MasterKeyOutcome: Hashable, Sendable, Encodable {
    /// Whether the new key is the store's only one; if not, the file has both.
    var isComplete: Bool
    var keyFile: String
    /// The ids of the keys, which reveal nothing about them.
    var oldKey: String?
    var newKey: String
    /// The file of the old key; `nil` when it is still in the key file.
    var oldKeyFile: String?
    var resealed = 0
    /// Number of values of a column that no key opens; they are unchanged.
    var unreadable: [String: Int] = [:]

    var json: String {
        get throws {
            return String(decoding: try JSONEncoder.sorted(.prettyPrinted).encode(self), as: UTF8.self)
        }
    }

    var text: String {
        guard isComplete else {
            return """
                \(keyFile) has the new key \(newKey) beside the old one now.
                Copy the file to all other nodes (mode 0600, the server's user), then run this command again.
                """
        }
        var lines = ["\(newKey) is the master key now; \(resealed) secrets were sealed anew."]
        for (column, count) in unreadable.sorted(by: { $0.key < $1.key }) {
            lines.append("\(count) values of \(column) are opened by neither key and were left as they were.")
        }
        if let oldKeyFile {
            lines.append("The old key is in \(oldKeyFile).")
            lines.append("Earlier backups need it: store it with their keys.")
        }
        lines.append("Copy \(keyFile) to all other nodes, if there are any.")
        return lines.joined(separator: "\n")
    }
}
