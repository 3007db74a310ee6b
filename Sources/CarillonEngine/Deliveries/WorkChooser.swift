package import CarillonModel
package import CarillonOperatorModel

/// Chooses what a dispatcher does next, of what there is to do.
///
/// It remembers the sessions of others that hold Chunks: the Chunks of one that shows no heartbeat for the time of a
/// lease, counted by this dispatcher's own monotonic clock, are free. So no clock is ever compared with another
/// machine's, and a wall clock that is set back or forward neither keeps nor takes a lease.
package struct WorkChooser: Sendable {
    package enum Choice: Hashable, Sendable {
        case start(CampaignID)
        /// A Chunk that was given back or whose holder is gone.
        case again(OpenChunk)
        case devices(OpenWave)
        case retries(OpenWave)
        /// Nothing now: look again at the earlier of the two.
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

    private let leaseTime: Duration
    private var sightings: [DispatcherSession: Sighting] = [:]
    /// Chunks of the dispatcher's own session on which it does not work: the answer to their lease was lost.
    private var strays: [ChunkKey: Stray] = [:]
    /// Since when the store cannot be asked.
    private var failingSince: ContinuousClock.Instant?

    /// - Parameter leaseTime: How long a lease lasts without a heartbeat.
    package init(leaseTime: Duration) { self.leaseTime = leaseTime }

    /// Notes that the store could not be asked.
    ///
    /// Holders could show no heartbeat meanwhile, and what they have sent waits to be committed. After half a lease of
    /// that their time begins anew with the next overview, or nodes would send each other's Chunks again.
    ///
    /// - Parameter instant: The monotonic clock before it was asked.
    package mutating func noteFailure(at instant: ContinuousClock.Instant) { failingSince = failingSince ?? instant }

    /// Chooses.
    ///
    /// - Parameters:
    ///   - overview: What there is to do.
    ///   - held: The Chunks that this dispatcher works on.
    ///   - session: This dispatcher's own; what it holds and does not work on for a lease is free.
    ///   - isStopped: Whether a Campaign is about to be cancelled or paused.
    ///   - now: The wall clock, for due times.
    ///   - looked: The monotonic clock before and after the overview was read, for leases.
    /// - Returns: What to do.
    package mutating func choose(
        from overview: DispatchOverview,
        held: Set<ChunkKey>,
        session: DispatcherSession? = nil,
        isStopped: (CampaignID, OccurrenceID) -> Bool,
        now: Timestamp,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> Choice {
        if let failingSince, looked.lowerBound - failingSince >= leaseTime / 2 { sightings = [:] }
        failingSince = nil
        if let campaign = overview.dueCampaigns.first { return .start(campaign) }
        if let chunk = freeChunk(overview.chunks, held, session, isStopped: isStopped, looked: looked) {
            return .again(chunk)
        }
        for wave in overview.waves where wave.isCancelling || !isStopped(wave.campaign, wave.occurrence) {
            if let retry = wave.nextRetry, wave.isCancelling || retry <= now { return .retries(wave) }
            if !wave.isCancelling, !wave.isRead, let readAt = wave.readAt, readAt <= now { return .devices(wave) }
        }
        return .wait(due: overview.nextWake, look: nextLook)
    }

    private mutating func freeChunk(
        _ chunks: [OpenChunk],
        _ held: Set<ChunkKey>,
        _ session: DispatcherSession?,
        isStopped: (CampaignID, OccurrenceID) -> Bool,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> OpenChunk? {
        let unheld = chunks.filter { !held.contains($0.lease.chunk) }
        let own = unheld.filter { $0.holder != nil && $0.holder == session }
        if let stray = stray(own, looked: looked) { return stray }
        let foreign = unheld.filter { $0.holder == nil || $0.holder != session }
        let holders = Set(foreign.compactMap(\.holder))
        sightings = sightings.filter { holders.contains($0.key) }
        for chunk in foreign {
            guard let holder = chunk.holder else { continue }
            if let seen = sightings[holder], seen.beat == chunk.beat { continue }
            sightings[holder] = Sighting(beat: chunk.beat, since: looked.upperBound)
        }
        return foreign.first { chunk in
            // Whoever took it would give it back at once.
            guard chunk.isCancelling || !isStopped(chunk.lease.campaign, chunk.lease.chunk.occurrence) else {
                return false
            }
            guard let holder = chunk.holder else { return true }
            return sightings[holder].map { looked.lowerBound - $0.since >= leaseTime } ?? false
        }
    }

    private mutating func stray(_ own: [OpenChunk], looked: ClosedRange<ContinuousClock.Instant>) -> OpenChunk? {
        let keys = Set(own.map(\.lease.chunk))
        strays = strays.filter { keys.contains($0.key) }
        for chunk in own {
            let (key, fence) = (chunk.lease.chunk, chunk.lease.fence)
            if let seen = strays[key], seen.fence == fence {
                if looked.lowerBound - seen.since >= leaseTime { return chunk }
            } else {
                strays[key] = Stray(fence: fence, since: looked.upperBound)
            }
        }
        return nil
    }

    /// When the first of the others' sessions, or of its own strays, may be free.
    private var nextLook: ContinuousClock.Instant? {
        (sightings.values.map(\.since) + strays.values.map(\.since)).min().map { $0 + leaseTime }
    }
}
