package import CarillonModel
package import CarillonOperatorModel

/// A webhook with waiting items.
package struct DueWebhook: Hashable, Sendable {
    package var app: AppID
    package var id: WebhookID
    /// The number of claims so far.
    package var fence: Int64
    /// Whether the last claim has not ended: a node is delivering, or was lost.
    package var isHeld: Bool
    /// Whether its last post failed.
    package var isFailing: Bool

    package init(app: AppID, id: WebhookID, fence: Int64, isHeld: Bool, isFailing: Bool) {
        self.app = app
        self.id = id
        self.fence = fence
        self.isHeld = isHeld
        self.isFailing = isFailing
    }
}

/// A claimed message to a webhook.
package struct WebhookWork: Sendable {
    package var webhook: StoredWebhook
    package var message: WebhookMessage
    package var items: [WebhookItem]
    /// A node with an older fence is refused.
    package var fence: Int64
    /// The attempt that is saved with its result; `nil` when nothing was posted.
    package var attempt: WebhookAttempt?

    package init(webhook: StoredWebhook, message: WebhookMessage, items: [WebhookItem], fence: Int64) {
        self.webhook = webhook
        self.message = message
        self.items = items
        self.fence = fence
    }
}

/// The result of an attempt.
package enum WebhookCompletion: Hashable, Sendable {
    case taken
    /// It is retried: nothing is sent to the webhook before `resumeAt`, and this message not before `messageAt`.
    case again(resumeAt: Timestamp, messageAt: Timestamp, status: Int?, error: String?)
    /// It has failed for the maximum time.
    case dead(resumeAt: Timestamp, status: Int?, error: String?)
    /// An alarm disables the webhook; the message is undeliverable or stays queued.
    case disabled(alarm: String, isDead: Bool, status: Int?, error: String?)
}

/// The result of saving an attempt.
package struct CompletedWebhook: Sendable {
    /// False when another node has the claim: nothing was saved.
    package var isKept: Bool
    /// The next message, claimed in the same transaction.
    package var next: WebhookWork?

    package init(isKept: Bool, next: WebhookWork? = nil) {
        self.isKept = isKept
        self.next = next
    }
}

/// Items that wait for webhooks.
///
/// They are written in the transaction of the event that they report, in ``OutcomeStore/commit(_:)``,
/// ``EventStore/record(app:_:at:)`` and where an Occurrence ends, and only for Apps with an active webhook for the topic.
/// Items are references, so that erased data is not delivered.
package protocol WebhookOutbox: Sendable {
    /// Returns active webhooks with items that may be sent now: longest since the last delivery first, held ones last.
    func dueWebhooks(at now: Timestamp, limit: Int) async throws(StoreError) -> [DueWebhook]

    /// Claims a webhook and its oldest message; when none is due, makes one from waiting items, but only a few while
    /// attempts fail.
    ///
    /// - Parameters:
    ///   - due: The webhook. If another node holds it, the claim passes on and that node is refused.
    ///   - new: The id of a new message.
    ///   - now: The wall clock.
    /// - Returns: `nil` when another node has claimed it since, or nothing is to be sent now.
    /// - Throws: ``StoreError``.
    func claim(
        _ due: DueWebhook,
        as new: WebhookMessageID,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookWork?

    /// Saves the result of a message, and releases the webhook or claims its next message.
    ///
    /// - Parameters:
    ///   - work: The message.
    ///   - completion: The result.
    ///   - next: The id of the next message when it is a new one; `nil` releases the webhook.
    ///   - now: The wall clock.
    /// - Returns: Whether it was saved, and the next message if there is one.
    /// - Throws: ``StoreError``.
    func complete(
        _ work: WebhookWork,
        _ completion: WebhookCompletion,
        next: WebhookMessageID?,
        at now: Timestamp
    ) async throws(StoreError) -> CompletedWebhook
}
