package import CarillonModel
package import CarillonOperatorModel

/// Selects the next work of a dispatcher.
///
/// It stores when it saw the sessions of other dispatchers that hold Chunks. The Chunks of a session without a
/// heartbeat for the time of a lease, by this dispatcher's own monotonic clock, are free. So clocks of different
/// machines are never compared, and setting a wall clock neither extends nor ends a lease.
package struct WorkSelector: Sendable {
    package enum Choice: Hashable, Sendable {
        case start(DueCampaign)
        /// A Chunk that was given back or whose holder is lost.
        case again(OpenChunk)
        case devices(OpenWave)
        case retries(OpenWave)
        /// No work now: look again at the earlier of the two instants.
        case wait(due: Timestamp?, look: ContinuousClock.Instant?)
    }

    private struct Sighting {
        var beat: Int64
        var since: ContinuousClock.Instant
    }

    private struct Stray {
        var fence: Int64
        var since: ContinuousClock.Instant
    }

    /// Maximum number of sightings where one look does not see all Chunks.
    private static let capacity = 100_000

    private let leaseTime: Duration
    private var sightings: [DispatcherSession: Sighting] = [:]
    /// Chunks of the dispatcher's own session on which it does not work, because the answer to their lease was lost.
    private var strays: [ChunkKey: Stray] = [:]
    /// Since when the store has been failing.
    private var failingSince: ContinuousClock.Instant?

    /// - Parameter leaseTime: How long a lease lasts without a heartbeat.
    package init(leaseTime: Duration) { self.leaseTime = leaseTime }

    /// Records that the store could not be read.
    ///
    /// Holders could send no heartbeat meanwhile, and their sent notifications wait to be committed. After half a lease
    /// time of failures their time begins anew with the next overview; otherwise nodes would send each other's Chunks
    /// again.
    ///
    /// - Parameter instant: The monotonic clock before the request.
    package mutating func recordFailure(at instant: ContinuousClock.Instant) { failingSince = failingSince ?? instant }

    /// What the selection depends on besides the work.
    package struct Conditions {
        /// The Chunks that this dispatcher works on.
        package var held: Set<ChunkKey> = []
        /// This dispatcher's session; its Chunks that it does not work on for a lease time are free.
        package var session: DispatcherSession?
        /// Whether a Campaign is being cancelled or paused.
        package var isStopped: (CampaignID, OccurrenceID) -> Bool = { _, _ in false }
        /// Whether an App's sending is being paused.
        package var isPaused: (AppID) -> Bool = { _ in false }
        /// Whether devices of an Occurrence are being read, or it is delayed after a failure.
        package var isWaiting: (OccurrenceID) -> Bool = { _ in false }
        /// Whether a Campaign of the same App is beginning, or it is delayed after a failure.
        package var isStartWaiting: (DueCampaign) -> Bool = { _ in false }
        /// Whether a Campaign is begun before Chunks are sent: the two alternate.
        package var startsFirst = true
        package var shares: SlotShares
        /// The positions of the last turns.
        package var cursor = WorkCursor()
        /// The wall clock, for due times.
        package var now: Timestamp

        package init(shares: SlotShares, now: Timestamp) {
            self.shares = shares
            self.now = now
        }
    }

    /// Selects the next work.
    ///
    /// - Parameters:
    ///   - overview: The work there is.
    ///   - conditions: What the selection depends on besides.
    ///   - looked: The monotonic clock before and after the overview was read, for leases.
    /// - Returns: What to do.
    package mutating func choose(
        from overview: DispatchOverview,
        under conditions: Conditions,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> Choice {
        if let failingSince, looked.lowerBound - failingSince >= leaseTime / 2 { sightings = [:] }
        failingSince = nil
        let start = overview.dueCampaigns.first { !conditions.isStartWaiting($0) }
        if let start, conditions.startsFirst { return .start(start) }
        let free = freeChunks(overview, conditions, looked: looked)
        if let choice = work(free, overview.waves, conditions) { return choice }
        if let start { return .start(start) }
        return .wait(due: overview.nextWake.flatMap { $0 > conditions.now ? $0 : nil }, look: nextLook(after: looked))
    }

    // MARK: - Private

    /// The work of the next App in turn; Apps that have their share of the slots come after those that do not.
    private func work(_ chunks: [OpenChunk], _ waves: [OpenWave], _ conditions: Conditions) -> Choice? {
        var choices: [AppID: Choice] = [:]
        for chunk in chunks {
            let key = chunk.lease.chunk
            // A stopped one would be given back at once.
            let isStopped = conditions.isStopped(chunk.lease.campaign, key.occurrence)
            let mayGoOn = chunk.isCancelling || !(isStopped || conditions.isPaused(key.app))
            guard mayGoOn, choices[key.app] == nil, !conditions.isWaiting(key.occurrence) else { continue }
            choices[key.app] = .again(chunk)
        }
        for wave in inTurn(waves, conditions.cursor) where choices[wave.app] == nil {
            choices[wave.app] = choice(wave, conditions)
        }
        let apps = choices.keys.filter { conditions.shares.hasRoom(for: $0) }.sorted { first, second in
            isBefore(first, second, after: conditions.cursor.lastTurn)
        }
        let count = conditions.shares.appCount(with: choices.keys)
        let app = apps.first { !conditions.shares.hasShare($0, of: count) } ?? apps.first
        return app.flatMap { choices[$0] }
    }

    private func choice(_ wave: OpenWave, _ conditions: Conditions) -> Choice? {
        guard !conditions.isWaiting(wave.occurrence),
            wave.isCancelling
                || !(conditions.isStopped(wave.campaign, wave.occurrence) || conditions.isPaused(wave.app))
        else { return nil }
        if let retry = wave.nextRetry, wave.isCancelling || retry <= conditions.now { return .retries(wave) }
        if !wave.isCancelling, !wave.isRead, let readAt = wave.readAt, readAt <= conditions.now {
            return .devices(wave)
        }
        return nil
    }

    /// Each App's Waves, beginning with the next in turn.
    private func inTurn(_ waves: [OpenWave], _ cursor: WorkCursor) -> [OpenWave] {
        func hadTurn(_ wave: OpenWave) -> Bool { cursor.waves[wave.app].map { wave.position <= $0 } ?? false }
        return waves.sorted { first, second in
            let (early, late) = (hadTurn(first), hadTurn(second))
            return early == late ? first.position < second.position : late
        }
    }

    private func isBefore(_ first: AppID, _ second: AppID, after last: AppID?) -> Bool {
        let last = last?.rawValue ?? .min
        let (early, late) = (first.rawValue <= last, second.rawValue <= last)
        return early == late ? first.rawValue < second.rawValue : late
    }

    /// Chunks that were given back, or whose holders are lost.
    private mutating func freeChunks(
        _ overview: DispatchOverview,
        _ conditions: Conditions,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> [OpenChunk] {
        let unheld = overview.chunks.filter { !conditions.held.contains($0.lease.chunk) }
        let own = unheld.filter { $0.holder != nil && $0.holder == conditions.session }
        let foreign = unheld.filter { $0.holder == nil || $0.holder != conditions.session }
        let holders = Set(foreign.compactMap(\.holder))
        // Where there are many, other looks see the others.
        let isWhole = overview.moreChunks == nil && conditions.cursor.chunk == nil
        if isWhole || sightings.count > Self.capacity { sightings = sightings.filter { holders.contains($0.key) } }
        for chunk in foreign {
            guard let holder = chunk.holder else { continue }
            if let seen = sightings[holder], seen.beat == chunk.beat { continue }
            sightings[holder] = Sighting(beat: chunk.beat, since: looked.upperBound)
        }
        let strays = strays(own, isWhole: isWhole, looked: looked)
        return strays
            + foreign.filter { chunk in
                guard let holder = chunk.holder else { return true }
                return sightings[holder].map { looked.lowerBound - $0.since >= leaseTime } ?? false
            }
    }

    private mutating func strays(
        _ own: [OpenChunk],
        isWhole: Bool,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> [OpenChunk] {
        let keys = Set(own.map(\.lease.chunk))
        if isWhole || strays.count > Self.capacity { strays = strays.filter { keys.contains($0.key) } }
        return own.filter { chunk in
            let (key, fence) = (chunk.lease.chunk, chunk.lease.fence)
            if let seen = strays[key], seen.fence == fence { return looked.lowerBound - seen.since >= leaseTime }
            strays[key] = Stray(fence: fence, since: looked.upperBound)
            return false
        }
    }

    /// When the first of the others' sessions, or of its own strays, may be free.
    ///
    /// A Chunk that is free already was selected, or is withheld for a reason that ends by itself: looking again at
    /// once would loop for ever.
    private func nextLook(after looked: ClosedRange<ContinuousClock.Instant>) -> ContinuousClock.Instant? {
        (sightings.values.map(\.since) + strays.values.map(\.since)).map { $0 + leaseTime }
            .filter { $0 > looked.lowerBound }.min()
    }
}
