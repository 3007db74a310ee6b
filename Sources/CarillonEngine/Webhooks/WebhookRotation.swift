import CarillonOperatorModel

/// Which webhooks a node tells now, and which come next.
///
/// Each webhook is told by itself, so that one which does not answer holds up no other. So many are told at once, those
/// that were told the longest ago first; those whose last post failed have a share of their own, so that however many of
/// them do not answer, the others are told. A webhook that another node holds is taken over when its fence has stood
/// still for the time of a lease by this node's own clock: no two clocks are compared.
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
    ///   - limit: How many are told at once.
    ///   - failingLimit: How many of them at most whose last post failed.
    ///   - leaseTime: For how long a fence stands still before its holder is taken for dead.
    init(limit: Int, failingLimit: Int, leaseTime: Duration) {
        self.limit = limit
        self.failingLimit = failingLimit
        self.leaseTime = leaseTime
    }

    /// Whether one waits that may be told now.
    var canStart: Bool { current.count < limit && waiting.contains(where: mayStart) }

    /// Takes note of what is due, in place of what was due before.
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

    /// The next webhook to tell; it is told until ``end(_:)``.
    ///
    /// - Returns: `nil` when none waits, or as many are told as may be.
    mutating func next() -> DueWebhook? {
        guard current.count < limit else { return nil }
        guard let index = waiting.firstIndex(where: mayStart) else { return nil }
        let webhook = waiting.remove(at: index)
        current[webhook.id] = webhook
        if webhook.isFailing { failingCount += 1 }
        return webhook
    }

    /// Takes note that a webhook is told no more.
    mutating func end(_ id: WebhookID) {
        guard let webhook = current.removeValue(forKey: id) else { return }
        if webhook.isFailing { failingCount -= 1 }
    }

    private func mayStart(_ webhook: DueWebhook) -> Bool { !webhook.isFailing || failingCount < failingLimit }
}
