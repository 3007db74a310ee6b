import CarillonOperatorModel

/// The order in which a node delivers to webhooks.
///
/// Webhooks are independent, so that one without an answer does not block others. A limited number is delivered to at
/// once, longest since the last delivery first; those with a failed last post have a limit of their own, so that many
/// of them do not block the others. A webhook that another node holds is taken over when its fence has not changed for
/// the time of a lease by this node's own clock: no two clocks are compared.
struct WebhookRotation {
    private struct Held {
        var fence: Int64
        var since: ContinuousClock.Instant
    }

    private let limit: Int
    private let failingLimit: Int
    private let leaseTime: Duration
    private var current: [WebhookID: DueWebhook] = [:]
    private var failingCount = 0
    private var waiting: [DueWebhook] = []
    private var held: [WebhookID: Held] = [:]

    /// - Parameters:
    ///   - limit: How many are delivered to at once.
    ///   - failingLimit: How many of them may have a failed last post.
    ///   - leaseTime: How long a fence may be unchanged before its holder counts as lost.
    init(limit: Int, failingLimit: Int, leaseTime: Duration) {
        self.limit = limit
        self.failingLimit = failingLimit
        self.leaseTime = leaseTime
    }

    /// Whether a waiting webhook may start now.
    var canStart: Bool { current.count < limit && waiting.contains(where: mayStart) }

    /// Replaces the due webhooks.
    mutating func replace(with due: [DueWebhook], at instant: ContinuousClock.Instant) {
        var stillHeld: [WebhookID: Held] = [:]
        waiting = due.filter { webhook in
            guard current[webhook.id] == nil else { return false }
            guard webhook.isHeld else { return true }
            let known = held[webhook.id]
            let since = known?.fence == webhook.fence ? known?.since ?? instant : instant
            stillHeld[webhook.id] = Held(fence: webhook.fence, since: since)
            return instant - since >= leaseTime
        }
        held = stillHeld
    }

    /// Returns the next webhook, which is in progress until ``end(_:)``.
    ///
    /// - Returns: `nil` when none waits, or the limit is reached.
    mutating func next() -> DueWebhook? {
        guard current.count < limit else { return nil }
        guard let index = waiting.firstIndex(where: mayStart) else { return nil }
        let webhook = waiting.remove(at: index)
        current[webhook.id] = webhook
        if webhook.isFailing { failingCount += 1 }
        return webhook
    }

    /// Ends the delivery to a webhook.
    mutating func end(_ id: WebhookID) {
        guard let webhook = current.removeValue(forKey: id) else { return }
        if webhook.isFailing { failingCount -= 1 }
    }

    private func mayStart(_ webhook: DueWebhook) -> Bool { !webhook.isFailing || failingCount < failingLimit }
}
