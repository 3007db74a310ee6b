import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// A server, put together and not yet running: store, engine, sender, dispatcher and API in one process.
struct ServerComposition: Sendable {
    let stores: Stores
    let engine: EngineServices
    /// The first API key, while it was never used.
    let firstKey: APIKeySecret?
    /// Is told the API's port once it listens; `nil` when it ends before.
    let port: OnceValue<Int>

    private let configuration: ServerConfiguration
    private let database: any Database
    private let sender: APNsSender
    private let dispatcher: Dispatcher
    private let webhookDispatcher: WebhookDispatcher
    private let notices: NodeNotifications?
    private let masterKeyWatch: MasterKeyWatch
    private let retention: Retention
    private let logger: Logger

    /// Opens or makes the store and joins everything to it.
    ///
    /// - Parameters:
    ///   - configuration: What the server is told.
    ///   - logger: Where it tells what happens.
    ///   - clock: The wall clock.
    /// - Throws: ``StoreError`` when the store or the master key cannot be used.
    init(_ configuration: ServerConfiguration, logger: Logger, clock: any WallClock = SystemWallClock()) async throws {
        database = try configuration.openDatabase()
        stores = try await Stores(migrating: database, now: clock.now()) { logger.report($0) }
        let vault = try await Self.vault(stores, configuration)
        try await RestoredStore(store: stores.restores, clock: clock, logger: logger).pauseWhatWasDue()
        let signals = CampaignSignals()
        notices = try NodeNotifications(of: database, signals)
        let ids = IDSource(clock: clock)
        let appKeys = AppKeyCache()
        let apps = Apps(store: stores.apps, vault: vault, appKeys: appKeys, ids: ids, clock: clock)
        sender = APNsSender(
            configuration: configuration.apns,
            accounts: apps,
            tokens: ProviderTokens(store: stores.providerTokens, vault: vault),
            clock: clock,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        dispatcher = Dispatcher(
            options: configuration.dispatcher,
            Dispatcher.Dependencies(
                store: stores.deliveries,
                sender: sender,
                receiptKeys: apps,
                ids: ids,
                signals: signals,
                clock: clock,
                logger: logger
            )
        )
        let webhookClient = HTTPWebhookClient(options: configuration.webhooks)
        webhookDispatcher = WebhookDispatcher(
            outbox: stores.webhookOutbox,
            client: webhookClient,
            sender: sender,
            vault: vault,
            ids: ids,
            clock: clock,
            logger: logger
        )
        retention = Retention(
            store: stores.retention,
            apps: stores.apps,
            users: Users(store: stores.users, apps: apps, clock: clock),
            clock: clock,
            logger: logger
        )
        // Before anything is written that would lie where a partition is to be; if it cannot be done soon, rows go to the
        // default partition, and the first round of retention tries again.
        await retention.makePartitions(.brief)
        let webhooks = Webhooks(store: stores.webhooks, client: webhookClient, vault: vault, ids: ids, clock: clock)
        var engine = Self.engine(
            configuration,
            stores,
            apps,
            appKeys,
            dispatcher,
            sender,
            webhooks,
            retention,
            webhookClient,
            vault
        )
        let check = MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps)
        masterKeyWatch = MasterKeyWatch(configuration.masterKeyPath, check: check, vault: vault, logger: logger)
        engine.readiness =
            NodeReadiness(
                check: check,
                vault: vault,
                dispatcher: configuration.sends ? dispatcher : nil,
                sender: sender,
                clock: clock,
                isHeld: configuration.holdsBack,
                lifetime: configuration.readinessLifetime
            ).readiness
        self.engine = engine
        firstKey = try await engine.access.firstKey()
        port = OnceValue()
        self.configuration = configuration
        self.logger = logger
    }

    /// The engine's services that the API calls.
    private static func engine(
        _ configuration: ServerConfiguration,
        _ stores: Stores,
        _ apps: Apps,
        _ appKeys: AppKeyCache,
        _ dispatcher: Dispatcher,
        _ sender: APNsSender,
        _ webhooks: Webhooks,
        _ retention: Retention,
        _ webhookClient: HTTPWebhookClient,
        _ vault: Vault
    ) -> EngineServices {
        let (ids, clock) = (dispatcher.dependencies.ids, dispatcher.dependencies.clock)
        let inboxes = Inboxes(store: stores.inboxes, clock: clock)
        let campaigns = Campaigns(
            store: stores.campaigns,
            sender: dispatcher.dependencies.sender,
            ids: ids,
            clock: clock,
            signals: dispatcher.dependencies.signals
        )
        return EngineServices(
            access: Access(
                keys: stores.apiKeys,
                apps: stores.apps,
                appKeys: appKeys,
                vault: vault,
                ids: ids,
                clock: clock
            ),
            apps: apps,
            devices: Devices(
                store: stores.devices,
                apps: apps,
                inboxes: inboxes,
                clock: clock,
                newDevices: configuration.newDevicesPerMinute.map {
                    NewDeviceLimiter(perMinute: $0, logger: dispatcher.dependencies.logger)
                }
            ),
            tags: Tags(store: stores.tags, apps: apps, clock: clock),
            attributes: Attributes(store: stores.attributes, apps: apps),
            registry: RegistryServices(stores.registry, apps: apps, clock: clock),
            events: Events(store: stores.events, apps: apps, clock: clock, retention: stores.retention),
            idempotency: Idempotency(store: stores.idempotency, clock: clock),
            campaigns: campaigns,
            inboxes: inboxes,
            templates: Templates(store: stores.templates, ids: ids, clock: clock),
            consents: ConsentRecords(store: stores.consents, clock: clock),
            statistics: Statistics(
                store: stores.statistics,
                campaigns: stores.campaigns,
                sender: sender,
                ids: ids,
                clock: clock
            ),
            audiences: Audiences(store: stores.audiences, apps: apps, ids: ids, clock: clock),
            webhooks: webhooks,
            retention: retention,
            userMessages: UserMessages(
                store: stores.userMessages,
                apps: apps,
                campaigns: campaigns,
                client: webhookClient,
                vault: vault,
                ids: ids,
                clock: clock
            ),
            messageLog: MessageLog(store: stores.messageLog, apps: apps),
            audit: AuditLog(
                store: stores.audit,
                clock: clock,
                logger: dispatcher.dependencies.logger,
                pseudonyms: AuditPseudonyms(store: stores.audit, vault: vault)
            ),
            registrationLimiter: configuration.registrationLimit.map {
                RegistrationLimiter(rate: $0.rate, burst: $0.burst)
            },
            clock: clock,
            probe: { () async throws(StoreError) in _ = try await stores.apps.apps(after: nil, limit: 1) },
            metrics: [
                dispatcher.dependencies.figures, APNsMetrics(sender: sender, clock: clock), retention.figures,
            ]
        )
    }

    /// Closes the store of a server that is not going to run.
    func close() { database.close() }

    /// What runs, in the order of need: what comes later is ended first.
    func services() throws -> [any Service] {
        let server = APIServer(configuration: configuration.server, engine: engine, logger: logger)
        let port = port
        var services: [any Service] = [StoreService(database: database), masterKeyWatch, sender]
        if let notices { services.append(notices) }
        if configuration.sends {
            services += [dispatcher, webhookDispatcher, retention] as [any Service]
        }
        services.append(server.haltedCampaigns)
        services.append(try server.application { port.set($0) })
        return services
    }

    /// Runs until a signal comes or the task is cancelled, then ends in order.
    ///
    /// - Parameter signals: What ends it.
    /// - Throws: What a service failed with, as when the port is taken.
    func run(until signals: [UnixSignal] = []) async throws {
        defer { port.cancel() }
        var group = ServiceGroupConfiguration(
            services: try services(),
            gracefulShutdownSignals: signals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.shutdownTime
        try await ServiceGroup(configuration: group).run()
    }
}

extension Logger {
    /// Logs what a store does before it can be served from.
    fileprivate func report(_ progress: StoreProgress) {
        switch progress {
        case .migrating(let step):
            info("A step of the schema begins", metadata: ["carillon.step": "\(step)"])
        case .building(let index):
            notice(
                "An index is built; the server listens when all are there",
                metadata: ["carillon.index": "\(index)"]
            )
        case .waiting(let what, let elapsed):
            notice(
                "Waiting for transactions that use the tables; pg_stat_activity shows them",
                metadata: ["carillon.step": "\(what)", "carillon.seconds": "\(elapsed.components.seconds)"]
            )
        }
    }
}

/// Closes the store when everything that uses it has ended.
private struct StoreService: Service {
    let database: any Database

    func run() async throws {
        try? await gracefulShutdown()
        database.close()
    }
}
