package import CarillonModel
package import CarillonOperatorModel

/// A webhook with its secrets, as it is kept.
package struct StoredWebhook: Hashable, Sendable {
    package var webhook: Webhook
    package var sealedSecret: [UInt8]
    /// The secret before, which signs too until ``Webhook/formerSecretUntil``.
    package var sealedFormerSecret: [UInt8]?
    /// Since when every attempt has failed.
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

/// Keeps webhooks.
package protocol WebhookStore: Sendable {
    /// Keeps a webhook.
    ///
    /// - Returns: `nil` when there is no such App; false when it has `limit` webhooks already.
    func insert(
        _ webhook: StoredWebhook,
        limit: Int,
        for request: IdempotentRequest<Void>?
    ) async throws(StoreError) -> Bool?

    /// A webhook; `nil` when there is none, or it is another App's.
    func webhook(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> StoredWebhook?

    /// Webhooks of an App, or of all, in the order of their ids.
    func webhooks(app: AppID?, after id: WebhookID?, limit: Int) async throws(StoreError) -> [Webhook]

    /// Changes what is named; making it active clears what it failed with.
    ///
    /// - Returns: `nil` when there is no such webhook, or it is another App's.
    func update(_ id: WebhookID, within app: AppID?, _ change: WebhookUpdate) async throws(StoreError) -> Webhook?

    /// Puts a secret in the place of the one before, which signs on until a time.
    ///
    /// - Returns: `nil` when there is no such webhook, or it is another App's.
    func rotate(
        _ id: WebhookID,
        within app: AppID?,
        sealedSecret: [UInt8],
        formerUntil: Timestamp
    ) async throws(StoreError) -> Webhook?

    /// Forgets a webhook and all that waits for it.
    ///
    /// - Returns: False when there is no such webhook, or it is another App's.
    func delete(_ id: WebhookID, within app: AppID?) async throws(StoreError) -> Bool

    /// Messages that were not taken, in the order of their ids.
    ///
    /// - Parameters:
    ///   - webhook: Whose.
    ///   - state: In which state.
    ///   - id: Only later ones than this.
    ///   - limit: How many at most.
    /// - Returns: The messages.
    /// - Throws: ``StoreError``.
    func messages(
        of webhook: Webhook,
        in state: WebhookMessage.State,
        after id: WebhookMessageID?,
        limit: Int
    ) async throws(StoreError) -> [WebhookMessage]

    /// Puts a dead message in line again, as if it were new.
    ///
    /// - Returns: `nil` when there is no such dead message.
    func replay(
        _ id: WebhookMessageID,
        of webhook: Webhook,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookMessage?
}
