/// Tells whether all of the work was seen, each kind from its beginning to its end, by looks that each see some of it.
package struct WorkPass: Sendable {
    private struct Kind: Sendable {
        var hasBegun = false
        var isWhole = false

        mutating func note(isFirst: Bool, isLast: Bool) {
            hasBegun = hasBegun || isFirst
            isWhole = isWhole || hasBegun && isLast
        }
    }

    /// How often the signal had rung before the first look; who rings later may ring for what that look has passed.
    package private(set) var signal: UInt64?
    /// Whether a stop flag keeps some of the work back.
    package private(set) var isKeptBack = false
    private var chunks = Kind()
    private var campaigns = Kind()
    private var apps = Kind()

    package init() {}

    /// Whether all of each kind was seen.
    package var isWhole: Bool { chunks.isWhole && campaigns.isWhole && apps.isWhole }

    /// Notes a look at the work from a cursor on.
    ///
    /// - Parameters:
    ///   - overview: What was seen.
    ///   - cursor: From where on.
    ///   - signal: How often the signal had rung before.
    ///   - isKeptBack: Whether a stop flag keeps some of it back.
    package mutating func note(
        _ overview: DispatchOverview,
        from cursor: WorkCursor,
        signal: UInt64 = 0,
        isKeptBack: Bool = false
    ) {
        self.signal = self.signal ?? signal
        self.isKeptBack = self.isKeptBack || isKeptBack
        chunks.note(isFirst: cursor.chunk == nil, isLast: overview.moreChunks == nil)
        campaigns.note(isFirst: cursor.campaign == nil, isLast: overview.moreCampaigns == nil)
        // Without Apps in turn a look sees all Waves.
        let isAll = !overview.isByApp
        apps.note(isFirst: isAll || cursor.app == nil, isLast: isAll || overview.moreApps == nil)
    }
}
