package import CarillonModel
package import CarillonOperatorModel

/// A webhook for which something waits.
package struct DueWebhook: Hashable, Sendable {
    package var app: AppID
    package var id: WebhookID
    /// How often it has been claimed.
    package var fence: Int64
    /// Whether the last claim has not ended: a node tells it now, or died.
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

/// A message to a webhook, claimed.
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
package enum WebhookCompletion: Hashable, Sendable {
    case taken
    /// It is tried again: nothing goes to the webhook before one time, this message not before the other.
    case again(resumeAt: Timestamp, messageAt: Timestamp, status: Int?, error: String?)
    /// It was tried long enough.
    case dead(resumeAt: Timestamp, status: Int?, error: String?)
    /// Nothing more is sent, with an alarm; the message is dead or waits in line.
    case disabled(alarm: String, isDead: Bool, status: Int?, error: String?)
}

/// What came of writing down an attempt.
package struct CompletedWebhook: Sendable {
    /// False when the claim passed on: nothing was kept.
    package var isKept: Bool
    /// The next message, claimed in the same transaction.
    package var next: WebhookWork?

    package init(isKept: Bool, next: WebhookWork? = nil) {
        self.isKept = isKept
        self.next = next
    }
}

/// What waits to be told to webhooks.
///
/// It is written with the thing itself, in ``OutcomeStore/commit(_:)``, ``EventStore/record(app:_:)`` and where an
/// Occurrence ends, and only for Apps that have an active webhook of that topic. What waits are references: what is
/// erased meanwhile is told to nobody.
package protocol WebhookOutbox: Sendable {
    /// Active webhooks for which something waits that may be sent now, those first that were told the longest ago and
    /// those last that are held.
    func dueWebhooks(at now: Timestamp, limit: Int) async throws(StoreError) -> [DueWebhook]

    /// Claims a webhook, and with it the message that has waited longest; puts one together from what waits when none
    /// is due, but no more than a few while attempts fail.
    ///
    /// - Parameters:
    ///   - due: Which webhook. One that is held is taken from its holder, who is then refused.
    ///   - new: What a new message is called.
    ///   - now: The wall clock.
    /// - Returns: `nil` when somebody else has claimed it since, or nothing is to be sent now.
    /// - Throws: ``StoreError``.
    func claim(
        _ due: DueWebhook,
        as new: WebhookMessageID,
        at now: Timestamp
    ) async throws(StoreError) -> WebhookWork?

    /// Keeps what became of a message, and gives the webhook back or claims its next message.
    ///
    /// - Parameters:
    ///   - work: The message.
    ///   - completion: What became of it.
    ///   - next: What the next message is called when it is a new one; `nil` gives the webhook back.
    ///   - now: The wall clock.
    /// - Returns: Whether it was kept, and the next message if there is one.
    /// - Throws: ``StoreError``.
    func complete(
        _ work: WebhookWork,
        _ completion: WebhookCompletion,
        next: WebhookMessageID?,
        at now: Timestamp
    ) async throws(StoreError) -> CompletedWebhook
}
