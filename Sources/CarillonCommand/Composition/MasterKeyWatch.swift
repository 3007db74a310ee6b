import CarillonEngine
import CarillonModel
import CarillonStore
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Follows a replacement of the master key while a node runs: seals with the key that is to stay, and reads the key file
/// again when the store speaks of a key that the node does not know.
struct MasterKeyWatch: Service {
    /// How often it looks.
    ///
    /// What replaces the key waits for three times as long before it counts on all nodes.
    static let interval = Duration.seconds(10)

    let path: String
    let check: MasterKeyCheck
    let vault: Vault
    let logger: Logger
    private let isWarned = NIOLockedValueBox(false)

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

    /// Looks once; what the store fails is looked at the next time.
    func look() async {
        do throws(StoreError) {
            if try await check.accepts(vault) { return isWarned.withLockedValue { $0 = false } }
            let keys = try MasterKeyFile.load(path: path, mayMake: false)
            // Keys that open less than those in use would lose what these still open.
            if let read = Vault(masterKeys: keys), try await check.opensStore(read) == true, vault.adopt(keys),
                try await check.accepts(vault)
            {
                logger.notice("The master key file was read again", metadata: ["carillon.keys": "\(vault.keys)"])
                return isWarned.withLockedValue { $0 = false }
            }
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
}
