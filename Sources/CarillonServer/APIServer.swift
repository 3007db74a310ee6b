package import CarillonContentJobs
package import CarillonEngine
import CarillonModel
package import CoreMetrics
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
package import NIOSSL

/// What the API reports about the node that it runs on.
package struct NodeStatus: Sendable {
    /// Queries the store; throws when it does not answer.
    package var probe: @Sendable () async throws(StoreError) -> Void
    /// Other causes that make the node unready or degraded.
    package var readiness: @Sendable () async -> Readiness
    /// Further sources of metrics.
    package var metrics: [any MetricsSource]

    package init(
        probe: @escaping @Sendable () async throws(StoreError) -> Void = {},
        readiness: @escaping @Sendable () async -> Readiness = { Readiness() },
        metrics: [any MetricsSource] = []
    ) {
        self.probe = probe
        self.readiness = readiness
        self.metrics = metrics
    }
}

/// The HTTP side of Carillon: it decodes a request, calls one method of a service, and encodes the response.
package struct APIServer: Sendable {
    /// How the server listens, and its limits.
    package struct Configuration: Sendable {
        /// A name or address to listen at.
        package var host = "127.0.0.1"
        /// 0 selects a free port.
        package var port = 0
        /// `nil` serves plain HTTP.
        package var tls: TLSConfiguration?
        package var trustedProxies = TrustedProxies()
        package var accessLog = AccessLog.errors
        /// Whether `/metrics` is open to everybody, not only to this machine and to keys of the server.
        package var metricsAreOpen = false
        /// Whether the API is served; if not, only `/health`, `/ready` and `/metrics` are.
        package var servesAPI = true
        /// Maximum number of open connections; more wait.
        package var maximumConnections = 20_000
        /// Minimum speed of a connection, and maximum number of connections of an address.
        package var connections = ConnectionLimits()
        /// How many requests a caller may send; unlimited when `nil`.
        package var requestLimits: RequestLimits? = RequestLimits()
        /// Limits how many registrations one address may send; unlimited when `nil`.
        package var registrationLimiter: RegistrationLimiter?
        /// Maximum time between requests of a connection.
        package var idleTimeout = Duration.seconds(60)
        /// Maximum number of open progress streams.
        package var maximumStreams = 100
        /// Maximum time between two writes to a progress stream.
        package var heartbeat = Duration.seconds(15)

        package init() {}
    }

    private let configuration: Configuration
    private let engine: Engine
    private let content: ContentServices
    private let node: NodeStatus
    private let logger: Logger
    private let metrics: ServerMetrics
    private let tickets: ProgressTickets
    private let pages: MountedPages?
    /// Counts halted Campaigns for the metrics page; runs beside the application.
    package let haltedCampaigns: HaltedCampaigns
    /// Measures what webhooks have not delivered for the metrics page; runs beside the application.
    package let webhookDeliveries: WebhookDeliveries

    /// Creates a server; it does not listen before its application runs.
    ///
    /// - Parameters:
    ///   - configuration: How it listens, and its limits.
    ///   - engine: The services that it calls.
    ///   - content: The services of content sets that it calls.
    ///   - node: What it reports about the node.
    ///   - pages: Pages beside the API; `nil` for none.
    ///   - logger: The log.
    package init(
        configuration: Configuration,
        engine: Engine,
        content: ContentServices,
        node: NodeStatus = NodeStatus(),
        pages: MountedPages? = nil,
        logger: Logger
    ) {
        self.configuration = configuration
        self.engine = engine
        self.content = content
        self.node = node
        self.pages = pages
        self.logger = logger
        metrics = ServerMetrics(startedAt: Double(engine.context.clock.now().rawValue / 1_000))
        tickets = ProgressTickets(clock: engine.context.clock)
        haltedCampaigns = HaltedCampaigns(engine.campaigns)
        webhookDeliveries = WebhookDeliveries(engine.webhooks)
    }

    /// The service that listens.
    ///
    /// - Parameter onRunning: Called with the port once the server listens.
    /// - Returns: A service for one run.
    /// - Throws: When the TLS configuration is not usable.
    package func application(onRunning: @escaping @Sendable (Int) async -> Void = { _ in }) throws -> APIApplication {
        APIApplication(
            responder: front(),
            server: try serverBuilder(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                // A flood of connections fills this queue, before any of them is accepted.
                backlog: 4_096,
                availableConnectionsDelegate: .maximum(configuration.maximumConnections, logger: logger)
            ),
            logger: logger,
            onRunning: onRunning
        )
    }

    /// Publishes what `/metrics` shows to a backend of swift-metrics; runs beside the application.
    package func metricsPublisher(to factory: any MetricsFactory) -> MetricsPublisher {
        MetricsPublisher(metricsSources, to: factory)
    }

    /// The routes that the server answers, each with who may call it.
    package var declaredRoutes: [DeclaredRoute] { routes(credentials()).table }

    // MARK: - Private

    private var metricsSources: [any MetricsSource] {
        [metrics, engine.accounts.metrics] + node.metrics + [haltedCampaigns, webhookDeliveries, content.figures]
    }

    private func serverBuilder() throws -> HTTPServerBuilder {
        let (limits, metrics) = (configuration.connections, metrics)
        let places = ConnectionPlaces(limit: limits.perAddress, proxies: configuration.trustedProxies)
        let base = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard(limits: limits, places: places, metrics: metrics)],
                idleTimeout: TimeAmount(configuration.idleTimeout),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 * 1_024,
                    maxHeaderListSize: 32 * 1_024,
                    maxHeaderFieldCount: 100
                )
            )
        )
        guard let tls = configuration.tls else { return base }
        return try .tls(base, tlsConfiguration: tls)
    }

    private var devices: DeviceRoutes { DeviceRoutes(devices: engine.devices, metrics: metrics) }

    private var events: EventRoutes { EventRoutes(events: engine.events, metrics: metrics) }

    private func credentials() -> Credentials {
        Credentials(
            access: engine.access,
            deletions: engine.appDeletions,
            limiter: RequestLimiter(configuration.requestLimits, metrics: metrics),
            address: ClientAddress(proxies: configuration.trustedProxies),
            registrations: configuration.registrationLimiter,
            hasTLS: configuration.tls != nil
        )
    }

    private func front() -> RootResponder {
        let credentials = credentials()
        let (router, methods) = routes(credentials).build()
        return RootResponder(
            devices: devices,
            events: events,
            router: router,
            methods: methods,
            credentials: credentials,
            vendorAPIs: engine.vendorAPIs,
            address: credentials.address,
            servesAPI: configuration.servesAPI,
            pages: pages,
            accessLog: configuration.accessLog,
            metrics: metrics,
            fields: RootResponder.fields(isTLS: configuration.tls != nil)
        )
    }

    private func routes(_ credentials: Credentials) -> Routes {
        var routes = Routes(
            audit: AuditTrail(log: engine.audit, address: credentials.address),
            credentials: credentials
        )
        let status = StatusRoutes(
            storeCheck: ReadinessCheck(probe: node.probe),
            readiness: node.readiness,
            metricsAreOpen: configuration.metricsAreOpen,
            sources: metricsSources
        )
        status.declare(&routes)
        guard configuration.servesAPI else { return routes }
        status.declareDescription(&routes)
        devices.declare(&routes)
        events.declare(&routes)
        AttributeRoutes(attributes: engine.attributes).declare(&routes)
        InboxRoutes(inboxes: engine.inboxes).declare(&routes)
        DeviceFollowRoutes(follows: content.follows, messages: engine.userMessages).declare(&routes)
        AccountRoutes(accounts: engine.accounts).declare(&routes)
        declareOperatorRoutes(&routes)
        ToastPushAPI(engine: engine, metrics: metrics).declare(&routes)
        CorePushAPI(engine: engine, metrics: metrics).declare(&routes)
        CoimotionAPI(engine: engine, content: content).declare(&routes)
        return routes
    }

    private func declareOperatorRoutes(_ routes: inout Routes) {
        let idempotency = IdempotencyMiddleware(idempotency: engine.idempotency)
        AppRoutes(
            apps: engine.apps,
            deletions: engine.appDeletions,
            pushKeys: engine.pushKeys,
            idempotency: idempotency
        ).declare(&routes)
        VendorAPIRoutes(vendorAPIs: engine.vendorAPIs, sets: content.sets).declare(&routes)
        TagRoutes(tags: engine.tags, idempotency: idempotency).declare(&routes)
        UserRoutes(users: engine.registry.users, tags: engine.tags, categories: engine.registry.categories)
            .declare(&routes)
        TransferRoutes(imports: engine.registry.imports, exports: engine.registry.exports).declare(&routes)
        KeyRoutes(access: engine.access, idempotency: idempotency).declare(&routes)
        OperatorRoutes(operators: engine.operators).declare(&routes)
        NodeRoutes(nodes: engine.nodes).declare(&routes)
        ContentRoutes(
            templates: engine.templates,
            campaigns: engine.campaigns,
            audiences: engine.audiences,
            idempotency: idempotency
        ).declare(
            &routes
        )
        ContentSetRoutes(sets: content.sets).declare(&routes)
        ContentSourceRoutes(sources: content.sources, arrivals: content.arrivals).declare(&routes)
        ContentFollowRoutes(follows: content.follows).declare(&routes)
        ContentAttachmentRoutes(attachments: content.attachments).declare(&routes)
        ConsentRoutes(consents: engine.consents).declare(&routes)
        CampaignRoutes(campaigns: engine.campaigns, idempotency: idempotency, metrics: metrics).declare(&routes)
        TestDeviceRoutes(testDevices: engine.testDevices, idempotency: idempotency, metrics: metrics)
            .declare(&routes)
        UserMessageRoutes(messages: engine.userMessages).declare(&routes)
        MessageLogRoutes(log: engine.messageLog).declare(&routes)
        AuditRoutes(log: engine.audit).declare(&routes)
        RetentionRoutes(retention: engine.retention).declare(&routes)
        WebhookRoutes(webhooks: engine.webhooks, idempotency: idempotency).declare(&routes)
        StatisticsRoutes(statistics: engine.statistics, idempotency: idempotency).declare(&routes)
        AudienceRoutes(audiences: engine.audiences, idempotency: idempotency).declare(&routes)
        ProgressRoutes(
            campaigns: engine.campaigns,
            tickets: tickets,
            streams: ProgressRoutes.places(configuration.maximumStreams, metrics),
            heartbeat: configuration.heartbeat
        ).declare(&routes)
    }
}
