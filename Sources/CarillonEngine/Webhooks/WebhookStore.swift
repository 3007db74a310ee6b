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

/// A message to a webhook, leased.
package struct WebhookWork: Sendable {
    package var webhook: StoredWebhook
    package var message: WebhookMessage
    package var items: [WebhookItem]
    /// Who comes with an older one is refused.
    package var fence: Int64

    package init(webhook: StoredWebhook, message: WebhookMessage, items: [WebhookItem], fence: Int64) {
        self.webhook = webhook
        self.message = message
        self.items = items
        self.fence = fence
    }
}

/// What follows from an attempt.
package enum WebhookSettlement: Hashable, Sendable {
    case taken
    /// It is tried again: nothing goes to the webhook before one time, this message not before the other.
    case again(resumeAt: Timestamp, messageAt: Timestamp, status: Int?, error: String?)
    /// It was tried long enough.
    case dead(resumeAt: Timestamp, status: Int?, error: String?)
    /// Nothing more is sent, with an alarm; the message is dead or waits in line.
    case disabled(alarm: String, isDead: Bool, status: Int?, error: String?)
}

/// What waits to be told to webhooks.
///
/// It is written with the thing itself, in ``OutcomeStore/commit(_:)``, ``EventStore/record(app:_:)`` and where an
/// Occurrence ends, and only for Apps that have an active webhook of that topic. What waits are references: what is
/// erased meanwhile is told to nobody.
package protocol WebhookOutbox: Sendable {
    /// Active webhooks for which something waits that may be sent now.
    func dueWebhooks(at now: Timestamp, limit: Int) async throws(StoreError) -> [WebhookID]

    /// Leases a webhook, and with it the message that has waited longest; puts one together from what waits when none
    /// is due, but no more than a few while attempts fail.
    ///
    /// - Parameters:
    ///   - id: Which webhook.
    ///   - new: What a new message is called.
    ///   - now: The wall clock.
    ///   - end: When the lease ends unless it is settled.
    /// - Returns: `nil` when somebody else has it, or nothing is to be sent now.
    /// - Throws: ``StoreError``.
    func claim(
        _ id: WebhookID,
        as new: WebhookMessageID,
        at now: Timestamp,
        until end: Timestamp
    ) async throws(StoreError) -> WebhookWork?

    /// Keeps what became of a message, and gives the webhook back.
    ///
    /// - Returns: False when the lease passed on: nothing was kept.
    func settle(
        _ work: WebhookWork,
        _ settlement: WebhookSettlement,
        at now: Timestamp
    ) async throws(StoreError) -> Bool
}
