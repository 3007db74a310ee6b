import CarillonModel
import CarillonOperatorModel
import Logging
import NIOConcurrencyHelpers

/// Outcomes that cannot be committed now; their Chunks send no more and keep their leases.
///
/// They wait outside the slots, so that other Campaigns continue. One task retries them one after another with growing
/// delays, so the backlog occupies at most one writer of the store, and briefly.
final class CommitBacklog: Sendable {
    /// The longest delay between two attempts at a Chunk.
    private static let longestDelay = Duration.seconds(5)
    /// Attempts at each Chunk when the process ends.
    private static let lastAttempts = 3

    private let writer: CommitWriter
    private let heartbeat: SessionHeartbeat
    private let retryTime: Duration
    private let leaseTime: Duration
    private let waiting: NIOLockedValueBox<WaitingCommits>
    private let isClosed = NIOLockedValueBox(false)
    /// Signalled when something begins or ends to wait.
    private let changed = AsyncSignal()

    init(_ writer: CommitWriter, _ heartbeat: SessionHeartbeat, options: Dispatcher.Options) {
        self.writer = writer
        self.heartbeat = heartbeat
        waiting = NIOLockedValueBox(
            WaitingCommits(.init(chunks: options.waitingChunks, notifications: options.waitingNotifications))
        )
        retryTime = options.storeRetryTime
        leaseTime = options.leaseTime
    }

    /// The Occurrences with waiting outcomes: the node leases no further Chunk of them.
    var occurrences: Set<OccurrenceID> { waiting.withLockedValue { $0.occurrences } }

    /// The Apps that fill half of the backlog: the node leases no further Chunk of them, so that others continue.
    var appsAtLimit: Set<AppID> { waiting.withLockedValue { $0.appsAtLimit } }

    /// Whether commits of an Occurrence wait.
    func isWaiting(_ occurrence: OccurrenceID) -> Bool { waiting.withLockedValue { $0.isWaiting(occurrence) } }

    /// Adds outcomes; they are tried at once.
    func add(_ item: WaitingCommits.Item) {
        let isFirst = waiting.withLockedValue { waiting in
            defer { waiting.insert(item) }
            return !waiting.isWaiting(item.lease.chunk.occurrence)
        }
        if isFirst { log("Outcomes of a campaign wait for the store; this node sends nothing more of it", item) }
        announce()
    }

    /// Waits while the backlog is full.
    func waitForRoom(unless isStopping: () -> Bool) async {
        while !isStopping() {
            let count = changed.count
            guard waiting.withLockedValue({ $0.isFull }) else { return }
            await changed.wait(after: count)
        }
    }

    /// Makes callers that wait for room check again whether the process ends.
    func wake() { changed.signal() }

    /// Retries waiting outcomes until ``close()``.
    func run() async {
        while !Task.isCancelled {
            let count = changed.count
            let now = timer.now()
            if isClosed.withLockedValue({ $0 }) { return }
            guard let item = waiting.withLockedValue({ $0.next(at: now) }) else {
                await changed.wait(after: count)
                continue
            }
            if item.nextAttempt <= now {
                await attempt(item)
            } else {
                await changed.wait(after: count, until: item.nextAttempt, by: timer)
            }
        }
    }

    /// Makes ``run()`` return.
    func close() {
        isClosed.withLockedValue { $0 = true }
        changed.signal()
    }

    /// Retries each Chunk a few times, for the duration of a lease at most; other nodes send the rest again.
    func drain() async {
        let end = timer.now() + leaseTime
        for round in 1...Self.lastAttempts {
            await withDiscardingTaskGroup { group in
                // App by App, so that a lock of one App does not use up the others' time.
                for items in waiting.withLockedValue({ $0.byApp }) {
                    group.addTask { [timer] in
                        for item in items where timer.now() < end { await self.attempt(item) }
                    }
                }
            }
            if waiting.withLockedValue({ $0.isEmpty }) { return }
            if round < Self.lastAttempts { await timer.sleep(until: timer.now() + retryTime * round) }
        }
        let (chunks, notifications) = waiting.withLockedValue { ($0.chunkCount, $0.notificationCount) }
        writer.dependencies.logger.info(
            "Outcomes could not be committed before the end; their notifications may be sent again",
            metadata: ["carillon.chunks": "\(chunks)", "carillon.notifications": "\(notifications)"]
        )
    }

    // MARK: - Private

    private var timer: any DispatchClock { writer.dependencies.timer }

    private func attempt(_ item: WaitingCommits.Item) async {
        var item = item
        let partCount = item.parts.count
        do throws(StoreError) {
            while let part = item.parts.first {
                guard try await writer.write(part) != .refused else {
                    if let last = item.parts.last { writer.revertStop(of: last) }
                    return end(item, "Waiting outcomes were dropped: another node has their chunk")
                }
                writer.confirmStop(of: part)
                item.parts.removeFirst()
            }
            end(item, "All waiting outcomes of a campaign are stored")
        } catch {
            writer.dependencies.figures.storeFailed()
            item.nextAttempt = timer.now() + min(retryTime * (1 << min(item.failures, 10)), Self.longestDelay)
            item.failures += 1
            waiting.withLockedValue { [item] in $0.insert(item) }
            // What is left may be small enough to make room for others.
            if item.parts.count < partCount { announce() }
        }
    }

    /// Removes a Chunk; logs `message` when it was its Occurrence's last.
    private func end(_ item: WaitingCommits.Item, _ message: Logger.Message) {
        let isLast = waiting.withLockedValue { waiting in
            waiting.remove(item.lease.chunk)
            return !waiting.isWaiting(item.lease.chunk.occurrence)
        }
        if isLast { log(message, item) }
        item.held.remove(item.lease.chunk)
        item.session.release()
        announce()
        writer.dependencies.signals.announceChange(of: item.lease.campaign)
        writer.dependencies.signals.work.signal()
    }

    private func log(_ message: Logger.Message, _ item: WaitingCommits.Item) {
        let chunk = item.lease.chunk
        writer.dependencies.logger.notice(
            message,
            metadata: [
                "carillon.app": "\(chunk.app)", "carillon.campaign": "\(item.lease.campaign)",
                "carillon.occurrence": "\(chunk.occurrence)",
            ]
        )
    }

    private func announce() {
        let (waits, chunks, notifications) = waiting.withLockedValue {
            ($0.commitWaits, $0.chunkCount, $0.notificationCount)
        }
        writer.dependencies.figures.wait(chunks: chunks, notifications: notifications)
        heartbeat.show(waits)
        changed.signal()
    }
}
