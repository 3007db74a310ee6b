/// Tracks whether a series of looks, each of which sees some of the work, has seen all of it.
package struct WorkPass: Sendable {
    private struct Kind: Sendable {
        var hasBegun = false
        var isWhole = false

        mutating func record(isFirst: Bool, isLast: Bool) {
            hasBegun = hasBegun || isFirst
            isWhole = isWhole || hasBegun && isLast
        }
    }

    /// The signal's count before the first look; a later signal may concern work that this look has passed.
    package private(set) var signal: UInt64?
    /// Whether a stop flag withholds some of the work.
    package private(set) var isKeptBack = false
    private var chunks = Kind()
    private var campaigns = Kind()
    private var apps = Kind()

    package init() {}

    /// Whether all of each kind was seen.
    package var isWhole: Bool { chunks.isWhole && campaigns.isWhole && apps.isWhole }

    /// Records a look at the work.
    ///
    /// - Parameters:
    ///   - overview: What it saw.
    ///   - cursor: Where it began.
    ///   - signal: The signal's count before it.
    ///   - isKeptBack: Whether a stop flag withholds some of it.
    package mutating func record(
        _ overview: DispatchOverview,
        from cursor: WorkCursor,
        signal: UInt64 = 0,
        isKeptBack: Bool = false
    ) {
        self.signal = self.signal ?? signal
        self.isKeptBack = self.isKeptBack || isKeptBack
        chunks.record(isFirst: cursor.chunk == nil, isLast: overview.moreChunks == nil)
        campaigns.record(isFirst: cursor.campaign == nil, isLast: overview.moreCampaigns == nil)
        // Unless Apps take turns, a look sees all Waves.
        let isAll = !overview.isByApp
        apps.record(isFirst: isAll || cursor.app == nil, isLast: isAll || overview.moreApps == nil)
    }
}
