import CarillonModel
import CarillonOperatorModel

/// Which Campaigns a node hands over nothing more of, until the store says so itself.
///
/// A flag saves the time until a dispatcher sees the state in the store, which it does with each commit. So it lapses:
/// what another node said may be lost, and so may what takes it back.
struct StopFlags: Sendable {
    private struct Flag {
        /// When it was set, or confirmed.
        var since: ContinuousClock.Instant
        /// The store has the Campaign stopped.
        var isConfirmed: Bool
    }

    /// By then the store knows, where every dispatcher looks.
    static let lifetime = Duration.seconds(30)
    /// From so many on, lapsed flags are dropped when one is set.
    private static let smallCount = 64

    private var flags: [CampaignID: Flag] = [:]
    /// The number of flags at which lapsed ones are dropped next.
    private var nextSweep = smallCount

    var isEmpty: Bool { flags.isEmpty }
    var count: Int { flags.count }

    mutating func stop(_ campaign: CampaignID, at now: ContinuousClock.Instant) {
        set(Flag(since: now, isConfirmed: false), of: campaign, at: now)
    }

    mutating func confirm(_ campaign: CampaignID, at now: ContinuousClock.Instant) {
        set(Flag(since: now, isConfirmed: true), of: campaign, at: now)
    }

    mutating func allow(_ campaign: CampaignID) { flags[campaign] = nil }

    /// Whether a Campaign has a flag that has not lapsed.
    mutating func isStopped(_ campaign: CampaignID, at now: () -> ContinuousClock.Instant) -> Bool {
        guard !flags.isEmpty, let flag = flags[campaign] else { return false }
        if now() - flag.since < Self.lifetime { return true }
        flags[campaign] = nil
        return false
    }

    /// Drops the flag of a Campaign that the store shows as being sent.
    ///
    /// The store may have been asked before the Campaign was stopped there: only a flag that was confirmed before that
    /// has been overtaken by a later change.
    mutating func reconcile(_ campaign: CampaignID, seenSince instant: ContinuousClock.Instant) {
        guard let flag = flags[campaign], flag.isConfirmed, flag.since < instant else { return }
        flags[campaign] = nil
    }

    private mutating func set(_ flag: Flag, of campaign: CampaignID, at now: ContinuousClock.Instant) {
        flags[campaign] = flag
        // A node without a dispatcher asks for none of them.
        guard flags.count >= nextSweep else { return }
        flags = flags.filter { now - $0.value.since < Self.lifetime }
        nextSweep = max(Self.smallCount, 2 * flags.count)
    }
}
