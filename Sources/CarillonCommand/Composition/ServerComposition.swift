import ApplePushSender
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import CoreMetrics
import Logging
import ServiceLifecycle
import UnixSignals

/// A server, put together and not yet running: store, engine, sender, dispatcher and API in one process.
struct ServerComposition: Sendable {
    let stores: Stores
    let engine: Engine
    /// What the API tells of this node.
    let node: NodeStatus
    /// The first API key, while it was never used.
    let firstKey: APIKeySecret?
    /// Is told the API's port once it listens; `nil` when it ends before.
    let port: OnceValue<Int>

    private let configuration: ServerConfiguration
    private let database: any Database
    private let sender: APNsSender
    private let dispatcher: Dispatcher
    private let webhookDispatcher: WebhookDispatcher
    private let notifications: NodeNotifications?
    private let masterKeyWatch: MasterKeyWatch
    private let logger: Logger

    /// Opens or makes the store and joins everything to it.
    ///
    /// - Parameters:
    ///   - configuration: What the server is told.
    ///   - logger: Where it tells what happens.
    ///   - clock: The wall clock.
    /// - Throws: ``StoreError`` when the store or the master key cannot be used.
    init(_ configuration: ServerConfiguration, logger: Logger, clock: any WallClock = SystemWallClock()) async throws {
        self.configuration = configuration
        self.logger = logger
        port = OnceValue()
        database = try configuration.openDatabase()
        stores = try await Stores(migrating: database, now: clock.now()) { logger.report($0) }
        let vault = try await Self.vault(stores, configuration)
        try await RestoredStore(store: stores.restores, clock: clock, logger: logger).pauseWhatWasDue()
        let context = EngineContext(vault: vault, clock: clock, logger: logger)
        notifications = try NodeNotifications(of: database, context.signals)
        let apps = context.apps(stores)
        sender = Self.sender(configuration, stores, context, apps)
        let webhookClient = HTTPWebhookClient(options: configuration.webhooks)
        engine = Engine(
            stores: stores,
            context: context,
            apps: apps,
            sender: sender,
            webhookClient: webhookClient,
            newDevicesPerMinute: configuration.newDevicesPerMinute
        )
        dispatcher = Self.dispatcher(configuration, stores, engine, sender)
        webhookDispatcher = Self.webhookDispatcher(stores, context, sender, webhookClient)
        // Before anything is written that would lie where a partition is to be; if it cannot be done soon, rows go to the
        // default partition, and the first round of retention tries again.
        await engine.retention.makePartitions(.brief)
        let check = MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps)
        masterKeyWatch = MasterKeyWatch(configuration.masterKeyPath, check: check, vault: vault, logger: logger)
        node = Self.node(configuration, stores, engine, dispatcher, sender, check)
        firstKey = try await engine.access.firstKey()
    }

    /// Closes the store of a server that is not going to run.
    func close() { database.close() }

    /// What runs, in the order of need: what comes later is ended first.
    ///
    /// - Parameter metrics: The backend that metrics are published to, beside the page; that of swift-metrics, which has
    ///   none unless somebody bootstrapped it.
    /// - Returns: The services of one run.
    /// - Throws: When the TLS configuration is not usable.
    func services(metrics: any MetricsFactory = MetricsSystem.factory) throws -> [any Service] {
        var api = configuration.server
        api.registrationLimiter = configuration.registrationLimit.map {
            RegistrationLimiter(rate: $0.rate, burst: $0.burst)
        }
        let server = APIServer(configuration: api, engine: engine, node: node, logger: logger)
        let port = port
        var services: [any Service] = [StoreService(database: database), masterKeyWatch]
        if !(metrics is NOOPMetricsHandler) { services.append(server.metricsPublisher(to: metrics)) }
        services.append(sender)
        if let notifications { services.append(notifications) }
        if configuration.sends {
            services += [dispatcher, webhookDispatcher, engine.retention] as [any Service]
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
