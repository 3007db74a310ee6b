import CarillonModel
import CarillonOperatorModel

/// Campaigns of which a node sends nothing more, until the store has the state.
///
/// A flag covers the time until a dispatcher reads the state from the store, which it does with each commit. It
/// expires, because the notification of another node that sets or reverts it may be lost.
struct StopFlags: Sendable {
    private struct Flag {
        /// When it was set or confirmed.
        var since: ContinuousClock.Instant
        /// Whether the store has the Campaign stopped.
        var isConfirmed: Bool
    }

    /// After this time the store has the state, and every dispatcher reads it there.
    static let lifetime = Duration.seconds(30)
    /// From this number on, expired flags are removed when one is set.
    private static let smallCount = 64

    private var flags: [CampaignID: Flag] = [:]
    /// The number of flags at which expired ones are removed next.
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

    /// Whether a Campaign has a flag that has not expired.
    mutating func isStopped(_ campaign: CampaignID, at now: () -> ContinuousClock.Instant) -> Bool {
        guard !flags.isEmpty, let flag = flags[campaign] else { return false }
        if now() - flag.since < Self.lifetime { return true }
        flags[campaign] = nil
        return false
    }

    /// Removes the flag of a Campaign that is stored as being sent.
    ///
    /// The store may have been read before the Campaign was stopped there: only a flag that was confirmed before the
    /// read is outdated.
    mutating func reconcile(_ campaign: CampaignID, seenSince instant: ContinuousClock.Instant) {
        guard let flag = flags[campaign], flag.isConfirmed, flag.since < instant else { return }
        flags[campaign] = nil
    }

    private mutating func set(_ flag: Flag, of campaign: CampaignID, at now: ContinuousClock.Instant) {
        flags[campaign] = flag
        // A node without a dispatcher never reads flags, so setting one removes them.
        guard flags.count >= nextSweep else { return }
        flags = flags.filter { now - $0.value.since < Self.lifetime }
        nextSweep = max(Self.smallCount, 2 * flags.count)
    }
}
