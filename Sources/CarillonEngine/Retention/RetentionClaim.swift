import CarillonModel

/// The time at which a node's claim has to be renewed.
struct RetentionClaim {
    var name = Retention.leaseName
    let leaseTime: Duration
    private var renewedAt: Timestamp?

    init(name: String = Retention.leaseName, leaseTime: Duration) {
        self.name = name
        self.leaseTime = leaseTime
    }

    /// Renews it when it is time.
    ///
    /// - Returns: Whether the node has it.
    mutating func renew(
        in store: any RetentionStore,
        owner: Int64,
        at now: Timestamp
    ) async throws(StoreError) -> Bool {
        guard isDue(at: now) else { return true }
        guard try await store.claim(name, owner: owner, at: now, until: now.advanced(by: leaseTime)) else {
            return false
        }
        renewedAt = now
        return true
    }

    /// Whether a third of its time is over, or the clock was set back.
    private func isDue(at now: Timestamp) -> Bool {
        guard let renewedAt else { return true }
        return now < renewedAt || now >= renewedAt.advanced(by: leaseTime / 3)
    }
}
