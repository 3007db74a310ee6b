package import Logging

/// The values that the services of an engine share.
package struct EngineContext: Sendable {
    package let vault: Vault
    package let clock: any WallClock
    package let ids: IDSource
    package let signals = CampaignSignals()
    package let logger: Logger
    fileprivate let appKeys = AppKeyCache()

    /// Creates the shared values of one node; ids and signals are its own.
    package init(vault: Vault, clock: any WallClock, logger: Logger) {
        self.vault = vault
        self.clock = clock
        self.logger = logger
        ids = IDSource(clock: clock)
    }

    /// Returns the Apps of the stores, which a sender needs before there is an engine.
    package func apps(_ stores: any EngineStores) -> Apps {
        Apps(store: stores.apps, vault: vault, appKeys: appKeys, ids: ids, clock: clock, signals: signals)
    }

    fileprivate func access(_ stores: any EngineStores) -> Access {
        Access(keys: stores.apiKeys, apps: stores.apps, appKeys: appKeys, vault: vault, ids: ids, clock: clock)
    }
}

/// The engine's services, on one set of stores.
package struct Engine: Sendable {
    package let context: EngineContext
    package let access: Access
    package let apps: Apps
    package let appDeletions: AppDeletions
    package let devices: Devices
    package let tags: Tags
    package let attributes: Attributes
    package let registry: RegistryServices
    package let events: Events
    package let idempotency: Idempotency
    package let campaigns: Campaigns
    package let inboxes: Inboxes
    package let templates: Templates
    package let consents: ConsentRecords
    package let statistics: Statistics
    package let audiences: Audiences
    package let webhooks: Webhooks
    package let retention: Retention
    package let userMessages: UserMessages
    package let messageLog: MessageLog
    package let audit: AuditLog
    package let vendorAPIs: VendorAPIs
    package let accounts: Accounts
    package let operators: Operators
    package let nodes: Nodes
    package let pushKeys: PushKeys
    package let testDevices: TestDevices

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - stores: The services' stores.
    ///   - context: The shared values.
    ///   - apps: The Apps of the same stores and context.
    ///   - sender: Renders and sends notifications.
    ///   - webhookClient: Posts to webhooks.
    ///   - newDevicesPerMinute: The new Devices of an App per minute; `nil` for no limit.
    ///   - accountOptions: The settings of accounts.
    ///   - operatorOptions: The settings of Operators.
    package init(
        stores: any EngineStores,
        context: EngineContext,
        apps: Apps,
        sender: any Sender,
        webhookClient: any WebhookClient,
        newDevicesPerMinute: Int? = nil,
        accountOptions: Accounts.Options = Accounts.Options(),
        operatorOptions: Operators.Options = Operators.Options()
    ) {
        let (ids, clock, logger) = (context.ids, context.clock, context.logger)
        self.context = context
        self.apps = apps
        access = context.access(stores)
        vendorAPIs = VendorAPIs(store: stores.vendorAPIs, clock: clock)
        appDeletions = AppDeletions(stores, apps, vendorAPIs, context)
        inboxes = Inboxes(store: stores.inboxes, clock: clock)
        let newDevices = newDevicesPerMinute.map { NewDeviceLimiter(perMinute: $0, logger: logger) }
        devices = Devices(store: stores.devices, apps: apps, inboxes: inboxes, clock: clock, newDevices: newDevices)
        tags = Tags(store: stores.tags, apps: apps, clock: clock)
        attributes = Attributes(store: stores.attributes, apps: apps)
        registry = RegistryServices(stores.registry, apps: apps, clock: clock)
        events = Events(store: stores.events, apps: apps, clock: clock, retention: stores.retention)
        idempotency = Idempotency(store: stores.idempotency, clock: clock)
        audiences = Audiences(store: stores.audiences, apps: apps, ids: ids, clock: clock)
        let counting = Campaigns(stores, sender, context, reach: nil)
        campaigns = Campaigns(stores, sender, context, reach: SendingReach(counting))
        templates = Templates(store: stores.templates, ids: ids, clock: clock)
        consents = ConsentRecords(store: stores.consents, clock: clock)
        statistics = Statistics(stores, sender, context)
        webhooks = Webhooks(stores, webhookClient, context)
        accounts = Accounts(
            store: stores.accounts,
            users: registry.users,
            apps: apps,
            ids: ids,
            clock: clock,
            options: accountOptions
        )
        operators = Operators(
            store: stores.operators,
            apps: apps,
            vault: context.vault,
            ids: ids,
            clock: clock,
            options: operatorOptions
        )
        nodes = Nodes(store: stores.nodes, clock: clock)
        pushKeys = PushKeys(store: stores.pushKeys, apps: apps, sender: sender, context: context)
        retention = Retention(stores, registry.users, accounts, operators, pushKeys, context)
        userMessages = UserMessages(stores, apps, campaigns, webhookClient, context)
        messageLog = MessageLog(store: stores.messageLog, apps: apps)
        testDevices = TestDevices(store: stores.testDevices, campaigns: campaigns, clock: clock)
        let pseudonyms = AuditPseudonyms(store: stores.audit, vault: context.vault)
        audit = AuditLog(store: stores.audit, clock: clock, logger: logger, pseudonyms: pseudonyms)
    }
}

// MARK: - Combined services

extension Campaigns {
    fileprivate init(
        _ stores: any EngineStores,
        _ sender: any Sender,
        _ context: EngineContext,
        reach: (any CampaignReach)?
    ) {
        self.init(
            store: stores.campaigns,
            sender: sender,
            ids: context.ids,
            clock: context.clock,
            signals: context.signals,
            reach: reach
        )
    }
}

extension Statistics {
    fileprivate init(_ stores: any EngineStores, _ sender: any Sender, _ context: EngineContext) {
        self.init(
            store: stores.statistics,
            campaigns: stores.campaigns,
            sender: sender,
            ids: context.ids,
            clock: context.clock
        )
    }
}

extension Webhooks {
    fileprivate init(_ stores: any EngineStores, _ client: any WebhookClient, _ context: EngineContext) {
        self.init(
            store: stores.webhooks,
            client: client,
            vault: context.vault,
            ids: context.ids,
            clock: context.clock
        )
    }
}

extension Retention {
    fileprivate init(
        _ stores: any EngineStores,
        _ users: Users,
        _ accounts: Accounts,
        _ operators: Operators,
        _ pushKeys: PushKeys,
        _ context: EngineContext
    ) {
        self.init(
            store: stores.retention,
            apps: stores.apps,
            users: users,
            accounts: accounts,
            operators: operators,
            pushKeys: pushKeys,
            clock: context.clock,
            logger: context.logger
        )
    }
}

extension AppDeletions {
    fileprivate init(
        _ stores: any EngineStores,
        _ apps: Apps,
        _ vendorAPIs: VendorAPIs,
        _ context: EngineContext
    ) {
        self.init(
            store: stores.appDeletions,
            claims: stores.retention,
            apps: apps,
            vendorAPIs: vendorAPIs,
            signals: context.signals,
            clock: context.clock,
            logger: context.logger
        )
    }
}

extension UserMessages {
    fileprivate init(
        _ stores: any EngineStores,
        _ apps: Apps,
        _ campaigns: Campaigns,
        _ client: any WebhookClient,
        _ context: EngineContext
    ) {
        self.init(
            store: stores.userMessages,
            apps: apps,
            campaigns: campaigns,
            client: client,
            vault: context.vault,
            ids: context.ids,
            clock: context.clock
        )
    }
}
