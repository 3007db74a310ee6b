package import CarillonContentSets
package import CarillonEngine
package import CarillonModel
package import CarillonSQL

/// Every store, on one database.
package struct Stores: Sendable {
    package let database: any Database
    package let apps: any AppStore
    package let apiKeys: any APIKeyStore
    package let appDeletions: any AppDeletionStore
    package let devices: any DeviceStore
    package let tags: any TagStore
    package let categories: any CategoryStore
    package let users: any UserStore
    package let attributes: any AttributeStore
    package let deviceImports: any DeviceImportStore
    package let deviceExports: any DeviceExportStore
    package let events: any EventStore
    package let idempotency: any IdempotencyStore
    package let providerTokens: any SealedProviderTokenStore
    package let campaigns: any CampaignStore
    package let deliveries: any WorkStore & OutcomeStore & SessionStore
    package let inboxes: any InboxStore
    package let statistics: any StatisticsStore
    package let webhooks: any WebhookStore
    package let webhookOutbox: any WebhookOutbox
    package let audiences: any AudienceStore
    package let templates: any TemplateStore
    package let consents: any ConsentStore
    package let retention: any RetentionStore
    package let userMessages: any UserMessageStore
    package let messageLog: any MessageLogStore
    package let restores: any RestoreStore
    package let masterKeyChecks: any MasterKeyCheckStore
    package let sealedValues: any SealedValueStore
    package let audit: any AuditStore
    package let vendorAPIs: any VendorAPIStore
    package let contentSets: any ContentSetStore
    package let accounts: any AccountStore
    package let operators: any OperatorStore
    package let nodes: any NodeStore
    package let pushKeys: any PushKeyStore
    package let testDevices: any TestDeviceStore
    package let contentSources: any ContentSourceStore
    package let contentFollows: any ContentFollowStore
    package let contentAttachments: any ContentAttachmentStore

    /// Brings a database's schema up to date and hands out its stores.
    ///
    /// - Parameters:
    ///   - database: An open database.
    ///   - now: The time that new steps of the schema are recorded with.
    ///   - progress: Is told what takes long: steps of the schema, and indexes that an import left behind.
    /// - Throws: ``StoreError``; `failed` when the database was written by a newer version.
    package init(
        migrating database: any Database,
        now: Timestamp,
        progress: @escaping StoreProgress.Handler = { _ in }
    ) async throws(StoreError) {
        try await database.migrate(now: now, progress: progress)
        // Registrations are not right without the unique ones: nobody is served before they are there.
        try await database.completeDeviceIndexes(progress)
        try await database.completeImportWindows()
        if database.dialect == .sqlite {
            try await database.write { connection in try connection.plannerStatistics.describeIndexes() }
        }
        self.init(on: database)
    }

    /// Hands out the stores of a database whose schema is this version's, as an examination finds it.
    ///
    /// - Parameter database: An open database; nothing is changed.
    package init(on database: any Database) {
        self.database = database
        apps = AppRepository(database: database)
        apiKeys = APIKeyRepository(database: database)
        appDeletions = AppDeletionRepository(database: database)
        devices = DeviceRepository(database: database)
        tags = TagRepository(database: database)
        categories = CategoryRepository(database: database)
        users = UserRepository(database: database)
        attributes = AttributeRepository(database: database)
        deviceImports = DeviceImportRepository(database: database)
        deviceExports = DeviceExportRepository(database: database)
        events = EventRepository(database: database)
        idempotency = IdempotencyRepository(database: database)
        providerTokens = ProviderTokenRepository(database: database)
        campaigns = CampaignRepository(database: database)
        // In the range of ids; a dispatcher's sessions name it.
        let process = Int64.random(in: 1..<(1 << 60))
        deliveries = DeliveryRepository(database: database, process: process)
        nodes = NodeRepository(database: database, process: process)
        inboxes = InboxRepository(database: database)
        statistics = StatisticsRepository(database: database)
        webhooks = WebhookRepository(database: database)
        webhookOutbox = WebhookOutboxRepository(database: database)
        audiences = AudienceRepository(database: database)
        templates = TemplateRepository(database: database)
        consents = ConsentRepository(database: database)
        retention = RetentionRepository(database: database)
        userMessages = UserMessageRepository(database: database)
        messageLog = MessageLogRepository(database: database)
        restores = RestoreRepository(database: database)
        masterKeyChecks = MasterKeyCheckRepository(database: database)
        sealedValues = SealedValueRepository(database: database)
        audit = AuditRepository(database: database)
        vendorAPIs = VendorAPIRepository(database: database)
        contentSets = ContentSetRepository(database: database)
        accounts = AccountRepository(database: database)
        operators = OperatorRepository(database: database)
        pushKeys = PushKeyRepository(database: database)
        testDevices = TestDeviceRepository(database: database)
        contentSources = ContentSourceRepository(database: database)
        contentFollows = ContentFollowRepository(database: database)
        contentAttachments = ContentAttachmentRepository(database: database)
    }
}

extension Stores: ContentStores {}

extension Stores: EngineStores {
    /// The stores of the registry's services.
    package var registry: RegistryStores {
        RegistryStores(
            users: users,
            categories: categories,
            tags: tags,
            attributes: attributes,
            imports: deviceImports,
            exports: deviceExports
        )
    }
}
