import CarillonModel
import CarillonOperatorModel
import Logging
import NIOConcurrencyHelpers

/// Finds work for a dispatcher, and orders it from the loader.
///
/// It only asks the store what there is. Tasks of the loader read Devices, a few at a time, so that a slow audience of
/// one App does not delay other Apps.
struct ChunkLeaser {
    /// How soon it looks again for work that a stop flag withholds.
    private static let stopCheck = Duration.seconds(1)

    let held = HeldChunks()
    private let dispatcher: Dispatcher
    private let backoff: StoreBackoff
    private var selector: WorkSelector
    private var cursor = WorkCursor()
    /// Whether Campaigns are begun before Chunks are sent: the two alternate.
    private var startsFirst = true
    private var pass = WorkPass()

    init(dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        selector = WorkSelector(leaseTime: dispatcher.options.leaseTime)
    }

    /// Finds work if there is some and room for it; otherwise waits until there may be.
    ///
    /// - Returns: What to do; empty when the caller should ask again.
    mutating func nextOrders() async -> [ChunkLoader.Order] {
        let signals = dispatcher.dependencies.signals
        let signal = signals.work.count
        guard !dispatcher.isQuiet, hasRoom() else {
            // Signalled when something ends, when the node is woken, and when an Occurrence's key and topic are known to be right.
            await signals.work.wait(after: signal)
            return []
        }
        // Before the wall clock: a wait that begins late must not end late.
        let instant = dispatcher.dependencies.timer.now()
        do throws(StoreError) {
            let orders = try await findOrders(signal, instant)
            backoff.reset()
            return orders
        } catch {
            selector.recordFailure(at: instant)
            await dispatcher.wait(for: backoff, error)
            return []
        }
    }

    // MARK: - Private

    private var progress: WorkProgress { dispatcher.progress }

    private func hasRoom() -> Bool { currentState().shares.hasRoom }

    /// The work in hand, with the room there is now.
    ///
    /// A Chunk counts as under way before it stops counting as loading, so one of the two is always seen.
    private func currentState() -> WorkProgress.State {
        progress.change { [dispatcher] progress in
            progress.shares.extraDevices = dispatcher.extraDevices
            return progress
        }
    }

    private mutating func findOrders(
        _ signal: UInt64,
        _ instant: ContinuousClock.Instant
    ) async throws(StoreError) -> [ChunkLoader.Order] {
        let dependencies = dispatcher.dependencies
        let now = dependencies.clock.now()
        var overview = try await dependencies.work.overview(at: now, from: cursor)
        dependencies.signals.reconcile(sending: overview.sendingCampaigns, seenSince: instant)
        dependencies.signals.reconcile(apps: overview.sendingApps, seenSince: instant)
        overview.leaveOut(dispatcher.backlog.occurrences, of: dispatcher.backlog.appsAtLimit)
        let looked = instant...max(instant, dependencies.timer.now())
        var orders: [ChunkLoader.Order] = []
        var wait: WorkSelector.Choice?
        while wait == nil, orders.count < dispatcher.options.loadsAtOnce {
            let choice = selector.choose(from: overview, under: conditions(at: now), looked: looked)
            if case .wait = choice {
                wait = choice
            } else {
                reserve(choice)
                orders.append(ChunkLoader.Order(choice: choice, now: now))
            }
        }
        guard let pass = advance(overview, hasOrders: !orders.isEmpty, signal), !dispatcher.isStopping,
            case .wait(let due, let look)? = wait
        else { return orders }
        var deadline = instant + dispatcher.options.longestWait
        if let due { deadline = min(deadline, instant + max(.zero, now.duration(to: due))) }
        if let look { deadline = min(deadline, look) }
        if let end = nextDelayEnd { deadline = min(deadline, end) }
        if pass.isKeptBack { deadline = min(deadline, instant + Self.stopCheck) }
        await dependencies.signals.work.wait(after: pass.signal ?? signal, until: deadline, by: dependencies.timer)
        return []
    }

    private func conditions(at now: Timestamp) -> WorkSelector.Conditions {
        let (dependencies, state) = (dispatcher.dependencies, currentState())
        let instant = dependencies.timer.now()
        var conditions = WorkSelector.Conditions(shares: state.shares, now: now)
        conditions.held = held.keys
        conditions.session = dispatcher.heartbeat.current
        conditions.isStopped = dependencies.signals.isStopped
        conditions.isPaused = dependencies.signals.isPaused
        conditions.isWaiting = { state.loading.contains($0) || state.delays.isWaiting($0, at: instant) }
        conditions.isStartWaiting = { due in
            state.starting.count >= WorkProgress.startsAtOnce || state.starting.contains(due.app)
                || dependencies.signals.isPaused(due.app)
                || state.startDelays.isWaiting(due.campaign, at: instant)
        }
        conditions.startsFirst = startsFirst
        conditions.cursor = cursor
        return conditions
    }

    /// Reserves what a choice needs.
    private mutating func reserve(_ choice: WorkSelector.Choice) {
        switch choice {
        case .start(let due):
            startsFirst = false
            progress.change { _ = $0.starting.insert(due.app) }
        case .again(let chunk): reserve(chunk.lease.chunk.app, chunk.lease.chunk.occurrence)
        case .devices(let wave), .retries(let wave):
            cursor.record(wave)
            // Work that was seen after it and not chosen is looked at next.
            cursor.app = wave.app
            reserve(wave.app, wave.occurrence)
        case .wait: break
        }
    }

    private mutating func reserve(_ app: AppID, _ occurrence: OccurrenceID) {
        startsFirst = true
        cursor.lastTurn = app
        progress.change { progress in
            progress.shares.acquire(for: app)
            progress.loading.insert(occurrence)
        }
    }

    /// Advances the cursor beyond what this look saw.
    ///
    /// - Returns: The pass that this look completes, when all work was seen since the last order or pass; otherwise
    ///   `nil`.
    private mutating func advance(_ overview: DispatchOverview, hasOrders: Bool, _ signal: UInt64) -> WorkPass? {
        if !hasOrders { pass.record(overview, from: cursor, signal: signal, isKeptBack: isKeptBack(overview)) }
        cursor.chunk = overview.moreChunks
        cursor.campaign = overview.moreCampaigns
        if hasOrders {
            pass = WorkPass()
            return nil
        }
        if overview.isByApp { cursor.app = overview.moreApps }
        guard pass.isWhole else { return nil }
        defer { pass = WorkPass() }
        return pass
    }

    private var nextDelayEnd: ContinuousClock.Instant? {
        let (state, now) = (progress.snapshot, dispatcher.dependencies.timer.now())
        return [state.delays.nextEnd(after: now), state.startDelays.nextEnd(after: now)].compactMap(\.self).min()
    }

    /// Whether a stop flag withholds some work.
    private func isKeptBack(_ overview: DispatchOverview) -> Bool {
        let signals = dispatcher.dependencies.signals
        func isStopped(_ app: AppID, _ campaign: CampaignID, _ occurrence: OccurrenceID) -> Bool {
            signals.isStopped(campaign, occurrence) || signals.isPaused(app)
        }
        return overview.waves.contains { !$0.isCancelling && isStopped($0.app, $0.campaign, $0.occurrence) }
            || overview.dueCampaigns.contains { signals.isPaused($0.app) }
            || overview.chunks.contains { chunk in
                let key = chunk.lease.chunk
                return chunk.holder == nil && !chunk.isCancelling
                    && isStopped(key.app, chunk.lease.campaign, key.occurrence)
            }
    }
}

/// The Chunks that a dispatcher works on.
final class HeldChunks: Sendable {
    private let held = NIOLockedValueBox<Set<ChunkKey>>([])

    var keys: Set<ChunkKey> { held.withLockedValue { $0 } }

    /// - Returns: False when the dispatcher works on it already.
    func insert(_ key: ChunkKey) -> Bool { held.withLockedValue { $0.insert(key).inserted } }

    func remove(_ key: ChunkKey) { _ = held.withLockedValue { $0.remove(key) } }
}
