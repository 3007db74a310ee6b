import CarillonEngine
import CarillonModel
import CarillonStore
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Follows a rotation of the master key while a node runs: seals with the new key, and loads the key file before the
/// store uses another key.
struct MasterKeyWatch: Service {
    /// The interval of checks.
    ///
    /// A rotation waits three times as long before it relies on all nodes.
    static let interval = Duration.seconds(10)

    let path: String
    let check: MasterKeyCheck
    let vault: Vault
    let logger: Logger
    private let isWarned = NIOLockedValueBox(false)
    /// The last logged problem with the file.
    private let fileProblem = NIOLockedValueBox<String?>(nil)

    init(_ path: String, check: MasterKeyCheck, vault: Vault, logger: Logger) {
        self.path = path
        self.check = check
        self.vault = vault
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
                await look()
            }
        }
    }

    /// Checks once; what the store fails is repeated in the next check.
    func look() async {
        do throws(StoreError) {
            try await adoptFile()
            if try await check.accepts(vault) { return isWarned.withLockedValue { $0 = false } }
        } catch {
            logger.info("The master key cannot be checked", metadata: ["carillon.error": "\(error)"])
            return
        }
        let isNew = isWarned.withLockedValue { isWarned in
            defer { isWarned = true }
            return !isWarned
        }
        guard isNew else { return }
        logger.error(
            "The master key is being replaced, and this node's file does not have the new one; copy the file from the node where it was made",
            metadata: ["carillon.path": "\(path)"]
        )
    }

    /// Adopts the keys of the file when they differ from the current ones and open everything that the store has
    /// sealed: otherwise secrets that the current ones open would be lost.
    private func adoptFile() async throws(StoreError) {
        let keys: [[UInt8]]
        do throws(StoreError) {
            keys = try MasterKeyFile.load(path: path, mayMake: false)
        } catch {
            return complain("\(error)")
        }
        guard let read = Vault(masterKeys: keys) else { return complain("\(path) has a key twice.") }
        let isNew = read.keys != vault.keys
        let opensStore = try await isNew ? check.opensStore(read) : true
        // An incomplete replacement, or a corrupt key: a restart with it would fail.
        if opensStore == false { return complain("The keys of \(path) do not open all that the store has sealed.") }
        fileProblem.withLockedValue { $0 = nil }
        guard isNew, opensStore == true, vault.adopt(keys) else { return }
        logger.notice("The master key file was read again", metadata: ["carillon.keys": "\(vault.keys)"])
    }

    /// Logs each problem once; the node continues with its current keys.
    private func complain(_ problem: String) {
        let isNew = fileProblem.withLockedValue { known in
            defer { known = problem }
            return known != problem
        }
        guard isNew else { return }
        logger.error(
            "This node cannot use its master key file, and continues with its current keys",
            metadata: ["carillon.error": "\(problem)"]
        )
    }
}
