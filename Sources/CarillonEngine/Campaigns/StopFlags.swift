/// Campaigns, or Apps, of which a node sends nothing more, until the store has the state.
///
/// A flag covers the time until a dispatcher reads the state from the store, which it does with each commit. It
/// expires, because the notification of another node that sets or reverts it may be lost.
struct StopFlags<ID: Hashable & Sendable>: Sendable {
    private struct Flag {
        /// When it was set or confirmed.
        var since: ContinuousClock.Instant
        /// Whether the store has it stopped.
        var isConfirmed: Bool
    }

    /// After this time the store has the state, and every dispatcher reads it there.
    static var lifetime: Duration { .seconds(30) }
    /// From this number on, expired flags are removed when one is set.
    private static var smallCount: Int { 64 }

    private var flags: [ID: Flag] = [:]
    /// The number of flags at which expired ones are removed next.
    private var nextSweep = 64

    var isEmpty: Bool { flags.isEmpty }
    var count: Int { flags.count }

    mutating func stop(_ id: ID, at now: ContinuousClock.Instant) {
        set(Flag(since: now, isConfirmed: false), of: id, at: now)
    }

    mutating func confirm(_ id: ID, at now: ContinuousClock.Instant) {
        set(Flag(since: now, isConfirmed: true), of: id, at: now)
    }

    mutating func allow(_ id: ID) { flags[id] = nil }

    /// Whether there is a flag that has not expired.
    mutating func isStopped(_ id: ID, at now: () -> ContinuousClock.Instant) -> Bool {
        guard !flags.isEmpty, let flag = flags[id] else { return false }
        if now() - flag.since < Self.lifetime { return true }
        flags[id] = nil
        return false
    }

    /// Removes the flag of what is stored as being sent.
    ///
    /// The store may have been read before the stop was stored: only a flag that was confirmed before the
    /// read is outdated.
    mutating func reconcile(_ id: ID, seenSince instant: ContinuousClock.Instant) {
        guard let flag = flags[id], flag.isConfirmed, flag.since < instant else { return }
        flags[id] = nil
    }

    private mutating func set(_ flag: Flag, of id: ID, at now: ContinuousClock.Instant) {
        flags[id] = flag
        // A node without a dispatcher never reads flags, so setting one removes them.
        guard flags.count >= nextSweep else { return }
        flags = flags.filter { now - $0.value.since < Self.lifetime }
        nextSweep = max(Self.smallCount, 2 * flags.count)
    }
}
