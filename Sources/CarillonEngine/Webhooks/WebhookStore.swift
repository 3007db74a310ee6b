package import CarillonModel
package import CarillonOperatorModel

/// A webhook with its secrets, as it is stored.
package struct StoredWebhook: Hashable, Sendable {
    package var webhook: Webhook
    package var sealedSecret: [UInt8]
    /// The former secret, which also signs until ``Webhook/formerSecretUntil``.
    package var sealedFormerSecret: [UInt8]?
    /// Since when all attempts have failed.
    package var failingSince: Timestamp?

    package init(
        webhook: Webhook,
        sealedSecret: [UInt8],
        sealedFormerSecret: [UInt8]? = nil,
        failingSince: Timestamp? = nil
    ) {
        self.webhook = webhook
        self.sealedSecret = sealedSecret
        self.sealedFormerSecret = sealedFormerSecret
        self.failingSince = failingSince
    }
}

/// What the webhooks of all Apps have not delivered.
package struct WebhookBacklog: Hashable, Sendable {
    /// The counts stop here, so that they cost little however many there are.
    package static let maximumCount = 1_001

    /// Stored undeliverable messages, at most ``maximumCount``.
    package var dead = 0
    /// Webhooks that the server disabled, at most ``maximumCount``.
    package var disabled = 0
    /// Since when the oldest undelivered item of active webhooks waits; `nil` when none does.
    package var waitingSince: Timestamp?

    package init() {}
}

/// Stores webhooks.
package protocol WebhookStore: Sendable {
    /// Saves a webhook.
    ///
    /// - Returns: `nil` when there is no such App; false when it has `limit` webhooks already.
    func insert(
        _ webhook: StoredWebhook,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool?

    /// Returns a webhook; `nil` when there is none, or it is another App's.
    func webhook(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> StoredWebhook?

    /// Returns webhooks of an App, or of all, ordered by id.
    func webhooks(app: AppID?, after id: WebhookID?, limit: Int) async throws(StoreError) -> [Webhook]

    /// Changes the fields that are set; making it active resets its failures.
    ///
    /// - Returns: `nil` when there is no such webhook, or it is another App's.
    func update(_ id: WebhookID, within app: AppID?, _ change: WebhookUpdate) async throws(StoreError) -> Webhook?

    /// Replaces the secret; the former one also signs until a time.
    ///
    /// - Returns: `nil` when there is no such webhook, or it is another App's.
    func rotate(
        _ id: WebhookID,
        within app: AppID?,
        sealedSecret: [UInt8],
        formerUntil: Timestamp
    ) async throws(StoreError) -> Webhook?

    /// Deletes a webhook and its waiting items.
    ///
    /// - Returns: False when there is no such webhook, or it is another App's.
    func delete(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> Bool

    /// Returns messages that were not accepted, ordered by id.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - state: The state.
    ///   - id: Only later ones than this.
    ///   - limit: The maximum number of messages.
    /// - Returns: The messages.
    /// - Throws: ``StoreError``.
    func messages(
        of webhook: Webhook,
        in state: WebhookMessage.State,
        after id: WebhookMessageID?,
        limit: Int
    ) async throws(StoreError) -> [WebhookMessage]

    /// Returns the last attempts, the latest first, at most ``WebhookAttempt/limit``.
    func attempts(of webhook: Webhook) async throws(StoreError) -> [WebhookAttempt]

    /// Queues an undeliverable message again, as a new one.
    ///
    /// - Returns: `nil` when there is no such dead message.
    func replay(
        _ id: WebhookMessageID,
        of webhook: Webhook,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookMessage?

    /// Returns what all webhooks have not delivered; the cost grows with the number of webhooks alone.
    func backlog() async throws(StoreError) -> WebhookBacklog
}
