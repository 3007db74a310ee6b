import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import TestStores
import Testing

/// The registry's services on a separate database, with a clock that the test moves.
struct Registry {
    let clock = ManualClock()
    let database: any Database
    let stores: Stores
    let appKeys = AppKeyCache()
    let access: Access
    let apps: Apps
    let devices: Devices
    let tags: Tags
    let attributes: Attributes
    let events: Events
    let idempotency: Idempotency
    let inboxes: Inboxes
    let engine: RegistryServices

    init(masterKey: [UInt8] = Array(repeating: 7, count: 32)) async throws {
        database = try await TestDatabase()
        stores = try await Stores(migrating: database, now: clock.now())
        let vault = try #require(Vault(masterKey: masterKey))
        let ids = IDSource(clock: clock)
        access = Access(keys: stores.apiKeys, apps: stores.apps, appKeys: appKeys, vault: vault, ids: ids, clock: clock)
        apps = Apps(store: stores.apps, vault: vault, appKeys: appKeys, ids: ids, clock: clock)
        inboxes = Inboxes(store: stores.inboxes, clock: clock)
        devices = Devices(store: stores.devices, apps: apps, inboxes: inboxes, clock: clock)
        engine = RegistryServices(stores.registry, apps: apps, clock: clock)
        tags = Tags(store: stores.tags, apps: apps, clock: clock)
        attributes = Attributes(store: stores.attributes, apps: apps)
        events = Events(store: stores.events, apps: apps, clock: clock)
        idempotency = Idempotency(store: stores.idempotency, clock: clock)
    }

    /// Creates an App.
    func app(_ identity: App.Identity = .open) async throws -> AppSecrets {
        try await apps.create(AppRequest(name: "Shop", bundleID: "com.example.shop", identity: identity))
    }
}
