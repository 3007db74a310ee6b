import CarillonEngine
import CarillonModel
import CarillonStore
import Logging

extension ServerComposition {
    /// The vault with the store's master key; a key that opens none of its secrets is refused, and none is created for
    /// a store that has some.
    static func vault(
        _ stores: Stores,
        _ configuration: ServerConfiguration
    ) async throws(StoreError) -> Vault {
        let path = configuration.masterKeyPath
        let check = MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps)
        let keys = try MasterKeyFile.load(path: path, mayMake: try await !check.needsKnownKey())
        guard let vault = Vault(masterKeys: keys) else {
            throw .unavailable("The master key file \(path) has a key twice.")
        }
        guard try await check.accepts(vault) else {
            throw .unavailable(
                """
                The master key at \(path) is not the one that the store's secrets are sealed with. Put the file back that \
                belongs to the store, or copy it from another node, or name it with --master-key-file. While the master key is \
                replaced the file needs both keys.
                """
            )
        }
        return vault
    }

    /// Creates the service for Operators on a store, without a server.
    ///
    /// - Throws: ``StoreError`` when the master key is not the store's.
    static func operators(
        _ stores: Stores,
        _ configuration: ServerConfiguration
    ) async throws(StoreError) -> Operators {
        let clock = SystemWallClock()
        let context = EngineContext(
            vault: try await vault(stores, configuration),
            clock: clock,
            logger: Logger(label: "carillon")
        )
        return Operators(
            store: stores.operators,
            apps: context.apps(stores),
            vault: context.vault,
            ids: context.ids,
            clock: clock
        )
    }

    /// Creates the service for API keys on a store, without a server.
    ///
    /// - Throws: ``StoreError`` when the master key is not the store's.
    static func access(_ stores: Stores, _ configuration: ServerConfiguration) async throws(StoreError) -> Access {
        let clock = SystemWallClock()
        return Access(
            keys: stores.apiKeys,
            apps: stores.apps,
            appKeys: AppKeyCache(),
            vault: try await vault(stores, configuration),
            ids: IDSource(clock: clock),
            clock: clock
        )
    }
}
