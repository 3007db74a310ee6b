import ApplePushSender
import CarillonConsole
import CarillonContentJobs
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonServer
import CarillonStore
import CarillonWebhooks
import CoreMetrics
import Logging
import OpenIDConnect
import ServiceLifecycle
import UnixSignals

/// A configured server that does not run yet: store, engine, sender, dispatcher and API in one process.
struct ServerComposition: Sendable {
    let stores: Stores
    let engine: Engine
    let content: ContentServices
    /// What the API reports about this node.
    let node: NodeStatus
    /// The first API key, until it is used.
    let firstKey: APIKeySecret?
    /// The console's link for the first Operator; `nil` when there is one, and on nodes without console.
    let setupLink: OperatorLink?
    /// The API's port once it listens; `nil` when it ends before.
    let port: OnceValue<Int>

    private let configuration: ServerConfiguration
    private let database: any Database
    private let sender: APNsSender
    private let simulatedApple: SimulatedApple
    private let dispatcher: Dispatcher
    private let webhookDispatcher: WebhookDispatcher
    private let notifications: NodeNotifications?
    private let presence: NodePresence
    private let masterKeyWatch: MasterKeyWatch
    private let logger: Logger

    /// Opens or creates the store and assembles the server.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - logger: The log.
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
        simulatedApple = SimulatedApple(logger: logger)
        sender = Self.sender(configuration, stores, context, apps, simulatedApple)
        let webhookClient = HTTPWebhookClient(options: configuration.webhooks)
        engine = Engine(
            stores: stores,
            context: context,
            apps: apps,
            sender: sender,
            webhookClient: webhookClient,
            newDevicesPerMinute: configuration.newDevicesPerMinute,
            operatorOptions: configuration.operators
        )
        content = ContentServices(stores, engine, HTTPContentFetcher(options: configuration.webhooks))
        dispatcher = Self.dispatcher(configuration, stores, engine, sender)
        webhookDispatcher = Self.webhookDispatcher(stores, context, sender, webhookClient)
        presence = Self.presence(configuration, stores, context, dispatcher, sender)
        // Before rows are written to the default partition instead; if it takes too long they are, and the first round
        // of retention tries again.
        await engine.retention.makePartitions(.brief)
        let check = MasterKeyCheck(store: stores.masterKeyChecks, apps: stores.apps)
        masterKeyWatch = MasterKeyWatch(configuration.masterKeyPath, check: check, vault: vault, logger: logger)
        node = Self.node(configuration, stores, engine, dispatcher, sender, check)
        firstKey = try await engine.access.firstKey()
        setupLink = configuration.servesConsole ? try await engine.operators.newSetupLink() : nil
    }

    /// Closes the store of a server that will not run.
    func close() { database.close() }

    /// What runs, in the order of need: what comes later is ended first.
    ///
    /// - Parameter metrics: The backend that metrics are published to, beside the page; that of swift-metrics, which has
    ///   none unless somebody bootstrapped it.
    /// - Returns: The services of one run.
    /// - Throws: When the TLS configuration is not usable, or a file of the console.
    func services(metrics: any MetricsFactory = MetricsSystem.factory) throws -> [any Service] {
        var api = configuration.server
        api.registrationLimiter = configuration.registrationLimit.map {
            RegistrationLimiter(rate: $0.rate, burst: $0.burst)
        }
        let console = configuration.console.flatMap { configuration.servesConsole ? $0 : nil }
        // Somebody looks at the page meanwhile.
        let provider = console == nil ? nil : IdentityProvider.configured(configuration.identityProvider)
        let images = HTTPContentFetcher(options: configuration.webhooks, wholeTime: .seconds(10))
        let server = APIServer(
            configuration: api,
            engine: engine,
            content: content,
            node: node,
            pages: try console.map {
                try Console(
                    $0.reporting(node, configuration).fetching(images).serving(content)
                        .vouched(by: provider),
                    engine: engine,
                    logger: logger
                ).pages
            },
            logger: logger
        )
        let port = port
        var services: [any Service] = [StoreService(database: database), masterKeyWatch]
        if !(metrics is NOOPMetricsHandler) { services.append(server.metricsPublisher(to: metrics)) }
        services += [simulatedApple, sender] as [any Service]
        if let notifications { services.append(notifications) }
        services.append(presence)
        if let provider { services.append(ProviderCheck(provider: provider, logger: logger)) }
        if configuration.sends {
            services += [dispatcher, webhookDispatcher, engine.retention, engine.appDeletions] as [any Service]
            services += content.jobs as [any Service]
        }
        services.append(server.haltedCampaigns)
        services.append(server.webhookDeliveries)
        services.append(try server.application { port.set($0) })
        return services
    }

    /// Runs until a signal or the task's cancellation, then shuts down gracefully.
    ///
    /// - Parameter signals: The signals that end it.
    /// - Throws: The error of a service, for example when the port is in use.
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
    /// Logs what a store does before it can be used.
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

/// Closes the store when all its users have ended.
private struct StoreService: Service {
    let database: any Database

    func run() async throws {
        try? await gracefulShutdown()
        database.close()
    }
}
