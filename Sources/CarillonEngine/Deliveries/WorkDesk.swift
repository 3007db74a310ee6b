import CarillonModel
import CarillonOperatorModel
import Logging
import NIOConcurrencyHelpers

/// Where a dispatcher's one looking task finds, reads and leases Chunks.
struct WorkDesk {
    /// How many Occurrences are remembered; an explicit audience may take a megabyte.
    private static let contextCapacity = 16

    private let dispatcher: Dispatcher
    private let held = HeldChunks()
    private let backoff: StoreBackoff
    private var chooser: WorkChooser
    private var contexts: [OccurrenceContext] = []
    /// Whose turn it was last.
    private var lastOccurrence: OccurrenceID?
    /// The Wave at which another node was faster: from then on they take turns there.
    private var contended: OpenWave?

    init(dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        backoff = StoreBackoff(dispatcher.options.storeRetryTime)
        chooser = WorkChooser(leaseTime: dispatcher.options.leaseTime)
    }

    /// Leases a Chunk if there is one; else waits until there may be one.
    ///
    /// - Returns: `nil` when it is to be asked again.
    mutating func nextChunk() async -> ChunkRunner? {
        let instant = dispatcher.surroundings.timer.now()
        do throws(StoreError) {
            let runner = try await lookForChunk()
            backoff.reset()
            return runner
        } catch {
            chooser.noteFailure(at: instant)
            await dispatcher.wait(for: backoff, error)
            return nil
        }
    }

    // MARK: - Private

    private var work: any WorkStore { dispatcher.surroundings.work }

    private mutating func lookForChunk() async throws(StoreError) -> ChunkRunner? {
        let surroundings = dispatcher.surroundings
        let turn: (any ReadingTurn)? =
            if let contended { await work.turn(at: contended.occurrence, wave: contended.wave) } else { nil }
        defer { turn?.end() }
        let bell = surroundings.signals.work.count
        // Before the wall clock: a wait that begins late must not end late.
        let instant = surroundings.timer.now()
        let now = surroundings.clock.now()
        var overview = try await work.overview(at: now, after: lastOccurrence)
        surroundings.signals.reconcile(sending: overview.sendingCampaigns, seenSince: instant)
        overview.leaveOut(dispatcher.backlog.occurrences)
        let choice = chooser.choose(
            from: overview,
            held: held.keys,
            session: dispatcher.heartbeat.current,
            isStopped: surroundings.signals.isStopped,
            now: now,
            looked: instant...max(instant, surroundings.timer.now())
        )
        if case .devices(let wave) = choice, wave.occurrence == contended?.occurrence {
            // The turn is held until the Wave is read.
        } else {
            contended = nil
            turn?.end()
        }
        switch choice {
        case .start(let campaign):
            try await start(campaign, at: now)
            return nil
        case .again(let chunk): return try await leaseAgain(chunk)
        case .devices(let wave): return try await leaseDevices(of: wave, now: now)
        case .retries(let wave): return try await leaseRetries(of: wave, now: now)
        case .wait(let due, let look):
            var deadline = instant + dispatcher.options.longestWait
            if let due { deadline = min(deadline, instant + max(.zero, now.duration(to: due))) }
            if let look { deadline = min(deadline, look) }
            guard !dispatcher.isStopping else { return nil }
            await surroundings.signals.work.ring(after: bell, until: deadline, by: surroundings.timer)
            return nil
        }
    }

    /// Begins the firing of a Campaign that is due, and notes which comes next.
    private func start(_ campaign: CampaignID, at now: Timestamp) async throws(StoreError) {
        let surroundings = dispatcher.surroundings
        guard let planned = try await work.planned(campaign), let next = planned.next else { return }
        // A schedule whose time zone this machine does not know waits for one that does.
        guard let step = planned.plan?.step(from: next, at: now, lateness: dispatcher.options.lateness) else {
            throw .unavailable("A schedule's time zone is not known here.")
        }
        let ids = (0...step.missed.count).map { _ in surroundings.ids.next() as OccurrenceID }
        try await work.start(planned, step, as: ids, at: now)
        if let late = step.late {
            surroundings.logger.warning(
                "A campaign is paused: it is too late to send it by itself",
                metadata: ["carillon.campaign": "\(campaign)", "carillon.dueAt": "\(late.dueAt)"]
            )
        }
        surroundings.signals.announceChange(of: campaign)
    }

    private mutating func leaseDevices(of wave: OpenWave, now: Timestamp) async throws(StoreError) -> ChunkRunner? {
        lastOccurrence = wave.occurrence
        guard let context = try await context(of: wave.occurrence, app: wave.app) else { return nil }
        let instant = dispatcher.surroundings.timer.now()
        let session = try await dispatcher.heartbeat.fresh()
        let pace = PaceRule(context.facts.rules.pace)
        let step = pace.step(of: wave, limit: dispatcher.options.chunkSize)
        var part = wave
        part.lastDevice = step.through
        var reading = try await work.read(part, of: context.facts, limit: step.limit)
        guard case .devices(_, _, let through) = reading.range else { return nil }
        reading.isLast = through >= wave.lastDevice
        let readAt = pace.next(count: reading.recipients.count, through: through, of: wave, at: now)
        let lease = try await work.lease(reading, of: wave, readAt: readAt, at: now, for: session.id)
        if lease == nil, reading.recipients.count > 0 { contended = wave }
        if reading.isLast { dispatcher.surroundings.signals.announceChange(of: wave.campaign) }
        guard let lease else { return nil }
        return runner(lease, reading.recipients, context, in: session, since: instant)
    }

    private mutating func leaseRetries(of wave: OpenWave, now: Timestamp) async throws(StoreError) -> ChunkRunner? {
        lastOccurrence = wave.occurrence
        guard let context = try await context(of: wave.occurrence, app: wave.app) else { return nil }
        let instant = dispatcher.surroundings.timer.now()
        let session = try await dispatcher.heartbeat.fresh()
        let reading = try await work.readRetries(
            of: context.facts,
            dueAt: wave.isCancelling ? nil : now,
            limit: dispatcher.options.chunkSize
        )
        guard let lease = try await work.leaseRetries(reading, of: wave, at: now, for: session.id) else { return nil }
        return runner(lease, reading.recipients, context, in: session, since: instant, isCancelling: wave.isCancelling)
    }

    private mutating func leaseAgain(_ chunk: OpenChunk) async throws(StoreError) -> ChunkRunner? {
        let key = chunk.lease.chunk
        guard let context = try await context(of: key.occurrence, app: key.app) else { return nil }
        let instant = dispatcher.surroundings.timer.now()
        let session = try await dispatcher.heartbeat.fresh()
        guard let lease = try await work.lease(again: chunk, for: session.id) else { return nil }
        if chunk.isHeld { dispatcher.surroundings.figures.tookOver() }
        let recipients = try await work.readRest(of: lease, facts: context.facts)
        return runner(lease, recipients, context, in: session, since: instant, isCancelling: chunk.isCancelling)
    }

    private func runner(
        _ lease: Lease,
        _ recipients: Recipients,
        _ context: OccurrenceContext,
        in session: HeldSession,
        since instant: ContinuousClock.Instant,
        isCancelling: Bool = false
    ) -> ChunkRunner? {
        // A lease that took so long to get may be looked for again already.
        guard dispatcher.surroundings.timer.now() - instant < dispatcher.options.leaseTime,
            held.insert(lease.chunk)
        else { return nil }
        session.hold()
        return ChunkRunner(
            dispatcher: dispatcher,
            context: context,
            lease: lease,
            recipients: recipients,
            leasedAt: instant,
            isCancelling: isCancelling,
            held: held,
            session: session
        )
    }

    private mutating func context(
        of occurrence: OccurrenceID,
        app: AppID
    ) async throws(StoreError) -> OccurrenceContext? {
        if let known = contexts.first(where: { $0.facts.occurrence == occurrence }) { return known }
        guard let facts = try await work.facts(of: occurrence, app: app) else { return nil }
        let context = OccurrenceContext(facts: facts, sender: dispatcher.surroundings.sender)
        if contexts.count >= Self.contextCapacity { contexts.removeFirst() }
        contexts.append(context)
        return context
    }
}

/// The Chunks a dispatcher works on.
final class HeldChunks: Sendable {
    private let held = NIOLockedValueBox<Set<ChunkKey>>([])

    var keys: Set<ChunkKey> { held.withLockedValue { $0 } }

    /// - Returns: False when it is worked on already.
    func insert(_ key: ChunkKey) -> Bool { held.withLockedValue { $0.insert(key).inserted } }

    func remove(_ key: ChunkKey) { _ = held.withLockedValue { $0.remove(key) } }
}
