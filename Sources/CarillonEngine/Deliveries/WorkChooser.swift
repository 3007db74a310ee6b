package import CarillonModel
package import CarillonOperatorModel

/// Chooses what a dispatcher does next, of what there is to do.
///
/// It remembers Chunks that others hold: one whose holder shows no sign of life for the time of a lease, counted by
/// this dispatcher's own monotonic clock, is free. So no clock is ever compared with another machine's, and a wall
/// clock that is set back or forward neither keeps nor takes a lease.
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
        var fence: Int64
        var beat: Int64
        var since: ContinuousClock.Instant
    }

    private let leaseTime: Duration
    private var sightings: [ChunkKey: Sighting] = [:]
    /// Since when the store cannot be asked.
    private var failingSince: ContinuousClock.Instant?

    /// - Parameter leaseTime: How long a lease lasts without a sign of life.
    package init(leaseTime: Duration) { self.leaseTime = leaseTime }

    /// Notes that the store could not be asked.
    ///
    /// Holders could show no sign of life meanwhile, and what they have sent waits to be committed. After half a lease of
    /// that their time begins anew with the next overview, or nodes would send each other's Chunks again.
    ///
    /// - Parameter instant: The monotonic clock before it was asked.
    package mutating func noteFailure(at instant: ContinuousClock.Instant) { failingSince = failingSince ?? instant }

    /// Chooses.
    ///
    /// - Parameters:
    ///   - overview: What there is to do.
    ///   - held: The Chunks that this dispatcher works on.
    ///   - isStopped: Whether a Campaign is about to be cancelled or paused.
    ///   - now: The wall clock, for due times.
    ///   - looked: The monotonic clock before and after the overview was read, for leases.
    /// - Returns: What to do.
    package mutating func choose(
        from overview: DispatchOverview,
        held: Set<ChunkKey>,
        isStopped: (CampaignID, OccurrenceID) -> Bool,
        now: Timestamp,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> Choice {
        if let failingSince, looked.lowerBound - failingSince >= leaseTime / 2 { sightings = [:] }
        failingSince = nil
        if let campaign = overview.dueCampaigns.first { return .start(campaign) }
        if let chunk = freeChunk(overview.chunks, held: held, isStopped: isStopped, looked: looked) {
            return .again(chunk)
        }
        for wave in overview.waves where wave.isCancelling || !isStopped(wave.campaign, wave.occurrence) {
            if let retry = wave.nextRetry, wave.isCancelling || retry <= now { return .retries(wave) }
            if !wave.isCancelling, !wave.isRead, let readAt = wave.readAt, readAt <= now { return .devices(wave) }
        }
        return .wait(due: overview.nextWake, look: sightings.values.map { $0.since + leaseTime }.min())
    }

    private mutating func freeChunk(
        _ chunks: [OpenChunk],
        held: Set<ChunkKey>,
        isStopped: (CampaignID, OccurrenceID) -> Bool,
        looked: ClosedRange<ContinuousClock.Instant>
    ) -> OpenChunk? {
        let foreign = chunks.filter { !held.contains($0.lease.chunk) }
        let keys = Set(foreign.map(\.lease.chunk))
        sightings = sightings.filter { keys.contains($0.key) }
        for chunk in foreign {
            let key = chunk.lease.chunk
            // Whoever took it would give it back at once.
            let mayTake = chunk.isCancelling || !isStopped(chunk.lease.campaign, key.occurrence)
            guard chunk.isHeld else {
                if mayTake { return chunk }
                continue
            }
            if let seen = sightings[key], seen.fence == chunk.lease.fence, seen.beat == chunk.beat {
                if mayTake, looked.lowerBound - seen.since >= leaseTime { return chunk }
            } else {
                sightings[key] = Sighting(fence: chunk.lease.fence, beat: chunk.beat, since: looked.upperBound)
            }
        }
        return nil
    }
}
