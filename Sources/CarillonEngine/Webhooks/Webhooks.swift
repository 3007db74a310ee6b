package import CarillonModel
package import CarillonOperatorModel

/// The addresses of an App that get messages about events.
package struct Webhooks: Sendable {
    /// Maximum number of webhooks of an App.
    package static let limit = 8
    /// How long the former secret also signs.
    package static let overlap = Duration.seconds(86_400)
    private static let maximumPage = 200

    private let store: any WebhookStore
    private let client: any WebhookClient
    private let vault: Vault
    private let ids: IDSource
    private let clock: any WallClock
    private let random: RandomBytes

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores webhooks.
    ///   - client: Posts test deliveries, and checks addresses.
    ///   - vault: Seals secrets.
    ///   - ids: Generates ids.
    ///   - clock: The wall clock.
    ///   - random: Generates secrets.
    package init(
        store: any WebhookStore,
        client: any WebhookClient,
        vault: Vault,
        ids: IDSource,
        clock: any WallClock,
        random: RandomBytes = .system
    ) {
        self.store = store
        self.client = client
        self.vault = vault
        self.ids = ids
        self.clock = clock
        self.random = random
    }

    /// Creates a webhook.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` for a forbidden address, ``EngineError/conflict(_:)`` when the App has
    ///   eight, ``EngineError/notFound(_:)`` when there is no such App.
    package func create(
        app: AppID,
        _ request: WebhookRequest,
        for repeatable: IdempotentRequest<WebhookSecret>? = nil
    ) async throws(EngineError) -> WebhookSecret {
        try check(request.url)
        let id: WebhookID = ids.next()
        let secret = WebhookSignature.secret(random)
        let topics = WebhookTopics(request.topics).topics
        let webhook = Webhook(id: id, app: app, url: request.url, topics: topics, createdAt: clock.now())
        let stored = StoredWebhook(webhook: webhook, sealedSecret: try seal(secret, id))
        let shown = WebhookSecret(webhook: webhook, secret: secret)
        let isKept = try await CarillonEngine.stored(
            try await store.insert(stored, limit: Self.limit, for: repeatable?.map { shown })
        )
        guard let isKept else { throw .notFound(.app) }
        guard isKept else { throw .conflict("The App has \(Self.limit) webhooks already.") }
        return shown
    }

    package func webhook(_ id: WebhookID, within app: AppID?) async throws(EngineError) -> Webhook {
        try await found(id, within: app).webhook
    }

    /// Returns webhooks in order of creation, of one App or of all.
    package func list(app: AppID?, after id: WebhookID?, limit: Int) async throws(EngineError) -> Page<Webhook> {
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.webhooks(app: app, after: id, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Changes the fields that are set; an active one continues with waiting items.
    package func update(
        _ id: WebhookID,
        within app: AppID?,
        _ change: WebhookUpdate
    ) async throws(EngineError) -> Webhook {
        if let url = change.url { try check(url) }
        let webhook = try await stored(try await store.update(id, within: app, change))
        guard let webhook else { throw .notFound(.webhook) }
        return webhook
    }

    /// Generates a new secret; for a day messages are signed with the old one too.
    package func rotate(_ id: WebhookID, within app: AppID?) async throws(EngineError) -> WebhookSecret {
        let secret = WebhookSignature.secret(random)
        let sealed = try seal(secret, id)
        let until = clock.now().advanced(by: Self.overlap)
        let webhook = try await stored(
            try await store.rotate(id, within: app, sealedSecret: sealed, formerUntil: until)
        )
        guard let webhook else { throw .notFound(.webhook) }
        return WebhookSecret(webhook: webhook, secret: secret)
    }

    package func delete(_ id: WebhookID, within app: AppID?) async throws(EngineError) {
        let isGone = try await stored(try await store.delete(id, within: app))
        guard isGone else { throw .notFound(.webhook) }
    }

    /// Returns messages that were not accepted: those that will be retried, or undeliverable ones.
    package func messages(
        of id: WebhookID,
        within app: AppID?,
        in state: WebhookMessage.State,
        after cursor: WebhookMessageID?,
        limit: Int
    ) async throws(EngineError) -> Page<WebhookMessage> {
        let webhook = try await webhook(id, within: app)
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.messages(of: webhook, in: state, after: cursor, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    /// Returns the last attempts, the latest first.
    package func attempts(of id: WebhookID, within app: AppID?) async throws(EngineError) -> WebhookAttemptList {
        let webhook = try await webhook(id, within: app)
        return WebhookAttemptList(attempts: try await stored(try await store.attempts(of: webhook)))
    }

    /// Queues an undeliverable message again.
    package func replay(
        _ message: WebhookMessageID,
        of id: WebhookID,
        within app: AppID?
    ) async throws(EngineError) -> WebhookMessage {
        let webhook = try await webhook(id, within: app)
        let now = clock.now()
        let replayed = try await stored(try await store.replay(message, of: webhook, at: now))
        guard let replayed else { throw .notFound(.webhookMessage) }
        return replayed
    }

    /// Returns what the webhooks of all Apps have not delivered, and for how long its oldest item waits; `nil` when the
    /// store does not answer.
    package func backlog() async -> (backlog: WebhookBacklog, age: Duration)? {
        guard let backlog = try? await store.backlog() else { return nil }
        let now = clock.now()
        return (backlog, max(.zero, backlog.waitingSince.map { $0.duration(to: now) } ?? .zero))
    }

    /// Sends a test message at once, whatever the webhook's state, and stores nothing.
    package func test(_ id: WebhookID, within app: AppID?) async throws(EngineError) -> WebhookTest {
        let webhook = try await found(id, within: app)
        let now = clock.now()
        let message: WebhookMessageID = ids.next()
        let post: WebhookPost
        do throws(StoreError) {
            post = try WebhookPost(webhook, message, [.test(at: now)], vault: vault, at: now)
        } catch {
            throw .store(error)
        }
        return switch await client.post(post) {
        case .answered(let status, _):
            WebhookTest(isTaken: (200..<300).contains(status), status: status, error: nil)
        case .failed(let words): WebhookTest(isTaken: false, status: nil, error: words)
        }
    }

    // MARK: - Private

    private func check(_ url: String) throws(EngineError) {
        guard let objection = client.objection(to: url) else { return }
        throw .invalid(FieldError(field: "url", problem: "must \(objection)"))
    }

    private func found(_ id: WebhookID, within app: AppID?) async throws(EngineError) -> StoredWebhook {
        let webhook = try await stored(try await store.webhook(id, within: app))
        guard let webhook else { throw .notFound(.webhook) }
        return webhook
    }

    private func seal(_ secret: String, _ id: WebhookID) throws(EngineError) -> [UInt8] {
        try vault.sealed(Array(secret.utf8), purpose: WebhookPost.purpose(id))
    }
}
