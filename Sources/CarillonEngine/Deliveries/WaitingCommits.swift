import CarillonModel
import CarillonOperatorModel

/// The Chunks whose outcomes wait to be committed, and their order.
struct WaitingCommits: Sendable {
    /// The maximum before the node takes no new work.
    struct Limits: Sendable {
        var chunks: Int
        var notifications: Int
    }

    /// The waiting parts of a Chunk.
    struct Item: Sendable {
        var lease: Lease
        /// In their order; the last one has the ending.
        var parts: [ChunkCommit]
        /// Since when they wait, by the wall clock.
        var since: Timestamp
        var session: HeldSession
        var held: HeldChunks
        var failures = 0
        var nextAttempt: ContinuousClock.Instant

        /// Creates an item that is due at once.
        init(
            _ parts: [ChunkCommit],
            of lease: Lease,
            session: HeldSession,
            held: HeldChunks,
            since: Timestamp,
            nextAttempt: ContinuousClock.Instant
        ) {
            self.lease = lease
            self.parts = parts
            self.session = session
            self.held = held
            self.since = since
            self.nextAttempt = nextAttempt
        }

        var notificationCount: Int { parts.reduce(0) { $0 + $1.rows.count + $1.retries.count } }
    }

    private let limits: Limits
    private var items: [ChunkKey: Item] = [:]
    /// The number of waiting notifications.
    private(set) var notificationCount = 0
    /// When each App's Chunks were tried last, as the number of the attempt.
    private var attempts: [AppID: Int] = [:]
    private var lastAttempt = 0

    init(_ limits: Limits) { self.limits = limits }

    var isEmpty: Bool { items.isEmpty }

    var chunkCount: Int { items.count }

    /// All items, grouped by App.
    var byApp: [[Item]] { Array(Dictionary(grouping: items.values, by: \.lease.chunk.app).values) }

    /// The Occurrences with items.
    var occurrences: Set<OccurrenceID> { Set(items.keys.lazy.map(\.occurrence)) }

    /// Returns whether an Occurrence has items.
    func isWaiting(_ occurrence: OccurrenceID) -> Bool {
        !items.isEmpty && items.keys.contains { $0.occurrence == occurrence }
    }

    var isFull: Bool { items.count >= limits.chunks || notificationCount >= limits.notifications }

    /// The Apps that fill half of the limit.
    var appsAtLimit: Set<AppID> {
        var shares: [AppID: (chunks: Int, notifications: Int)] = [:]
        for (key, item) in items {
            shares[key.app, default: (0, 0)].chunks += 1
            shares[key.app, default: (0, 0)].notifications += item.notificationCount
        }
        let atLimit = shares.filter { _, share in
            share.chunks * 2 >= limits.chunks || share.notifications * 2 >= limits.notifications
        }
        return Set(atLimit.keys)
    }

    /// Adds a Chunk, or the rest of one.
    mutating func insert(_ item: Item) {
        let old = items.updateValue(item, forKey: item.lease.chunk)
        notificationCount += item.notificationCount - (old?.notificationCount ?? 0)
    }

    mutating func remove(_ key: ChunkKey) {
        guard let old = items.removeValue(forKey: key) else { return }
        notificationCount -= old.notificationCount
        if !items.keys.contains(where: { $0.app == key.app }) { attempts[key.app] = nil }
    }

    /// Returns the next item to try: among due ones, one of the App that was tried longest ago.
    ///
    /// An attempt waits for a lock for as long as the store allows; otherwise a hundred of one App could come in a row.
    ///
    /// - Returns: An item; one that is not due when none is.
    mutating func next(at now: ContinuousClock.Instant) -> Item? {
        let due = items.values.filter { $0.nextAttempt <= now }
        guard let item = due.min(by: { turn(of: $0) < turn(of: $1) }) else {
            return items.values.min { $0.nextAttempt < $1.nextAttempt }
        }
        lastAttempt += 1
        attempts[item.lease.chunk.app] = lastAttempt
        return item
    }

    private func turn(of item: Item) -> (Int, ContinuousClock.Instant) {
        (attempts[item.lease.chunk.app] ?? 0, item.nextAttempt)
    }

    /// The waits that the store shows, in the order of Occurrences.
    var commitWaits: [CommitWait] {
        var waits: [OccurrenceID: CommitWait] = [:]
        for item in items.values {
            let occurrence = item.lease.chunk.occurrence
            var wait =
                waits[occurrence]
                ?? CommitWait(
                    campaign: item.lease.campaign,
                    occurrence: occurrence,
                    since: item.since,
                    chunks: 0,
                    notifications: 0
                )
            wait.since = min(wait.since, item.since)
            wait.chunks += 1
            wait.notifications += item.notificationCount
            waits[occurrence] = wait
        }
        return waits.values.sorted { $0.occurrence.rawValue < $1.occurrence.rawValue }
    }
}
