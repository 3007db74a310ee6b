import CarillonModel
package import CarillonOperatorModel

/// An exact count of whom a Campaign reaches.
package struct ExactCount: Sendable {
    package var figures: ReachFigures
    /// The rows of the count, with Devices to be shown; `nil` where they are not counted.
    package var counted: CountedReach?

    package init(figures: ReachFigures, counted: CountedReach? = nil) {
        (self.figures, self.counted) = (figures, counted)
    }
}

/// Exact counts for people who look at pages: one at a time in an App, shared by all who want the same, and kept for some
/// seconds.
actor ExactCounts {
    /// How long a count is shown without counting again.
    static let keptTime = Duration.seconds(10)
    /// How many may wait for another count of their App.
    static let mostWaiting = 8
    private static let mostKept = 50

    private struct Kept {
        var campaign: Campaign
        var count: ExactCount
        var at: ContinuousClock.Instant
    }

    private struct Running {
        var campaign: Campaign
        var task: Task<Result<ExactCount, EngineError>, Never>
        var waiting = 0
    }

    private var kept: [AppID: Kept] = [:]
    private var running: [AppID: Running] = [:]

    /// Returns the count of a Campaign.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign as it is counted.
    ///   - isFresh: Whether it must begin now, as for what is sent after it.
    ///   - count: Counts.
    /// - Returns: The count.
    /// - Throws: What `count` throws; ``EngineError/store(_:)`` when too many wait already.
    func count(
        of campaign: Campaign,
        isFresh: Bool,
        _ count: @escaping @Sendable (Campaign) async -> Result<ExactCount, EngineError>
    ) async throws(EngineError) -> ExactCount {
        if !isFresh, let last = kept[campaign.app], last.campaign == campaign, .now - last.at < Self.keptTime {
            return last.count
        }
        while let other = running[campaign.app] {
            guard other.waiting < Self.mostWaiting else {
                throw .store(.unavailable("Too many wait for exact counts of this App."))
            }
            running[campaign.app]?.waiting += 1
            let result = await other.task.value
            if !isFresh, other.campaign == campaign { return try result.get() }
        }
        let task = Task {
            let result = await count(campaign)
            // Before those who wait continue.
            finish(campaign, result)
            return result
        }
        running[campaign.app] = Running(campaign: campaign, task: task)
        return try await task.value.get()
    }

    private func finish(_ campaign: Campaign, _ result: Result<ExactCount, EngineError>) {
        running[campaign.app] = nil
        guard case .success(let count) = result else { return }
        let now = ContinuousClock.Instant.now
        if kept.count >= Self.mostKept { kept = kept.filter { now - $0.value.at < Self.keptTime } }
        guard kept.count < Self.mostKept || kept[campaign.app] != nil else { return }
        kept[campaign.app] = Kept(campaign: campaign, count: count, at: now)
    }
}

extension Campaigns {
    /// Counts whom a Campaign reaches for somebody who looks at a page: a count of the last seconds will do, and an App
    /// counts one Campaign at a time.
    ///
    /// - Parameter campaign: The Campaign.
    /// - Returns: The exact count, with Devices to be shown.
    /// - Throws: ``EngineError``.
    package func exactCount(of campaign: Campaign) async throws(EngineError) -> CountedReach {
        if let counted = try await sharedCount(of: campaign, isFresh: false).counted { return counted }
        return try await counted(campaign, isExact: true)
    }

    /// Counts whom a Campaign reaches, one at a time in an App.
    func sharedCount(of campaign: Campaign, isFresh: Bool) async throws(EngineError) -> ExactCount {
        guard let counter else { throw .store(.failed("Nothing counts the reach of campaigns here.")) }
        return try await exactCounts.count(of: campaign, isFresh: isFresh) { campaign in
            do throws(EngineError) {
                return .success(try await counter.count(of: campaign))
            } catch {
                return .failure(error)
            }
        }
    }
}
