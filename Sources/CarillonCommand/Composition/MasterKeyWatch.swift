import CarillonEngine
import CarillonModel
import CarillonStore
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Follows a replacement of the master key while a node runs: seals with the key that is to stay, and has the keys of the
/// file before the store speaks of a new one.
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
    /// What is wrong with the file, as it was logged last.
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

    /// Looks once; what the store fails is looked at the next time.
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

    /// Takes the keys of the file when they are others than those in use and open all that the store has sealed: keys
    /// that open less would lose what these still open.
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
        // Half of a replacement, or bytes that are no longer the key: a start with it fails.
        if opensStore == false { return complain("The keys of \(path) do not open all that the store has sealed.") }
        fileProblem.withLockedValue { $0 = nil }
        guard isNew, opensStore == true, vault.adopt(keys) else { return }
        logger.notice("The master key file was read again", metadata: ["carillon.keys": "\(vault.keys)"])
    }

    /// Logs each problem once; the node goes on with the keys it has.
    private func complain(_ problem: String) {
        let isNew = fileProblem.withLockedValue { known in
            defer { known = problem }
            return known != problem
        }
        guard isNew else { return }
        logger.error(
            "This node cannot use its master key file, and goes on with the keys it has",
            metadata: ["carillon.error": "\(problem)"]
        )
    }
}
