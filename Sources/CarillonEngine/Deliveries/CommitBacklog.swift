import CarillonModel
import CarillonOperatorModel
import Logging
import NIOConcurrencyHelpers

/// Outcomes that cannot be committed now, of Chunks that are sent no further and keep their leases.
///
/// They wait outside the slots, so that Campaigns whose commits get through go on. One task tries them one after another,
/// each with a delay that grows: what waits takes one of the store's writers at most, and for a moment.
final class CommitBacklog: Sendable {
    /// How much may wait before the node takes no new work.
    struct Limits: Sendable {
        var chunks: Int
        var notifications: Int
    }

    /// What waits of a Chunk.
    struct Item: Sendable {
        var lease: Lease
        /// In their order; the last one has the ending.
        var parts: [ChunkCommit]
        /// Since when, by the wall clock.
        var since: Timestamp
        var session: HeldSession
        var held: HeldChunks
        fileprivate var failures = 0
        fileprivate var nextAttempt: ContinuousClock.Instant

        /// What waits from now on.
        init(_ parts: [ChunkCommit], of lease: Lease, session: HeldSession, held: HeldChunks, dispatcher: Dispatcher) {
            self.lease = lease
            self.parts = parts
            self.session = session
            self.held = held
            since = dispatcher.surroundings.clock.now()
            nextAttempt = dispatcher.surroundings.timer.now()
        }

        var notificationCount: Int { parts.reduce(0) { $0 + $1.rows.count + $1.retries.count } }
    }

    private struct State {
        var items: [ChunkKey: Item] = [:]
        var notificationCount = 0
        var isClosed = false
    }

    /// The longest delay between two attempts at a Chunk.
    private static let longestDelay = Duration.seconds(5)
    /// How often each Chunk is tried when the process ends.
    private static let lastAttempts = 3

    private let writer: CommitWriter
    private let heartbeat: SessionHeartbeat
    private let limits: Limits
    private let retryTime: Duration
    private let leaseTime: Duration
    private let state = NIOLockedValueBox(State())
    /// Rings when something begins or ends to wait.
    private let changed = Bell()

    init(_ writer: CommitWriter, _ heartbeat: SessionHeartbeat, limits: Limits, options: Dispatcher.Options) {
        self.writer = writer
        self.heartbeat = heartbeat
        self.limits = limits
        retryTime = options.storeRetryTime
        leaseTime = options.leaseTime
    }

    /// The Occurrences of which something waits: the node leases no further Chunk of them.
    var occurrences: Set<OccurrenceID> { state.withLockedValue { Set($0.items.keys.lazy.map(\.occurrence)) } }

    /// Whether commits of an Occurrence wait.
    func isWaiting(_ occurrence: OccurrenceID) -> Bool {
        state.withLockedValue { state in
            !state.items.isEmpty && state.items.keys.contains { $0.occurrence == occurrence }
        }
    }

    /// Lets outcomes wait; they are tried at once.
    func add(_ item: Item) {
        state.withLockedValue { state in
            state.items[item.lease.chunk] = item
            state.notificationCount += item.notificationCount
        }
        announce()
    }

    /// Waits for as long as too much waits.
    func waitForRoom(unless isStopping: () -> Bool) async {
        while !isStopping() {
            let count = changed.count
            let isFull = state.withLockedValue { state in
                state.items.count >= limits.chunks || state.notificationCount >= limits.notifications
            }
            guard isFull else { return }
            await changed.ring(after: count)
        }
    }

    /// Whoever waits for room looks again whether the process ends.
    func wake() { changed.ring() }

    /// Tries what waits until ``close()``.
    func run() async {
        while !Task.isCancelled {
            let count = changed.count
            let now = timer.now()
            let (item, isClosed) = state.withLockedValue { state in
                (state.items.values.min { $0.nextAttempt < $1.nextAttempt }, state.isClosed)
            }
            if isClosed { return }
            guard let item else {
                await changed.ring(after: count)
                continue
            }
            if item.nextAttempt <= now {
                await attempt(item)
            } else {
                await changed.ring(after: count, until: item.nextAttempt, by: timer)
            }
        }
    }

    /// Has ``run()`` return.
    func close() {
        state.withLockedValue { $0.isClosed = true }
        changed.ring()
    }

    /// Tries what still waits a few times, for the time of a lease at most; what is left is sent again by others.
    func drain() async {
        let end = timer.now() + leaseTime
        for round in 1...Self.lastAttempts {
            let items = state.withLockedValue { Array($0.items.values) }
            for item in items where timer.now() < end { await attempt(item) }
            guard state.withLockedValue({ !$0.items.isEmpty }) else { return }
            if round < Self.lastAttempts { await timer.sleep(until: timer.now() + retryTime * round) }
        }
        let (chunks, notifications) = state.withLockedValue { ($0.items.count, $0.notificationCount) }
        writer.surroundings.logger.info(
            "Outcomes could not be committed before the end; their notifications may be sent again",
            metadata: ["carillon.chunks": "\(chunks)", "carillon.notifications": "\(notifications)"]
        )
    }

    // MARK: - Private

    private var timer: any DispatchClock { writer.surroundings.timer }

    private func attempt(_ item: Item) async {
        var item = item
        let before = item.notificationCount
        do throws(StoreError) {
            while let part = item.parts.first {
                guard try await writer.write(part) != .refused else {
                    if let last = item.parts.last { writer.forgetStop(of: last) }
                    return end(item, before)
                }
                writer.confirmStop(of: part)
                item.parts.removeFirst()
            }
            end(item, before)
        } catch {
            writer.surroundings.figures.storeFailed()
            item.nextAttempt = timer.now() + min(retryTime * (1 << min(item.failures, 10)), Self.longestDelay)
            item.failures += 1
            let written = before - item.notificationCount
            state.withLockedValue { [item] state in
                state.items[item.lease.chunk] = item
                state.notificationCount -= written
            }
        }
    }

    /// A Chunk waits no more.
    private func end(_ item: Item, _ notificationCount: Int) {
        state.withLockedValue { state in
            state.items[item.lease.chunk] = nil
            state.notificationCount -= notificationCount
        }
        item.held.remove(item.lease.chunk)
        item.session.release()
        announce()
        writer.surroundings.signals.announceChange(of: item.lease.campaign)
        writer.surroundings.signals.work.ring()
    }

    private func announce() {
        let (waits, chunks, notifications) = state.withLockedValue { state in
            (Self.waits(state.items.values), state.items.count, state.notificationCount)
        }
        writer.surroundings.figures.wait(chunks: chunks, notifications: notifications)
        heartbeat.show(waits)
        changed.ring()
    }

    private static func waits(_ items: some Sequence<Item>) -> [CommitWait] {
        var waits: [OccurrenceID: CommitWait] = [:]
        for item in items {
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
