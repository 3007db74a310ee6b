package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    /// Returns a Campaign as the API shows it.
    ///
    /// While the rest of it waits for its time - in each Device's own zone, for the end of a night or of quiet hours -
    /// it is `scheduled`, and ``Campaign/nextAt`` is when sending continues.
    ///
    /// - Parameters:
    ///   - id: The Campaign.
    ///   - app: Only if it belongs to this App; `nil` for any.
    /// - Returns: The Campaign.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func shown(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        try await shown([try await campaign(id, within: app)])[0]
    }

    /// How many Campaigns of all Apps are paused by an alarm, at most 1,001; `nil` while the store fails.
    package func haltedCount() async -> Int? { try? await store.haltedCount() }

    /// Returns an App's Campaigns that an alarm has paused, newest first.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - limit: 1 through 500; other values are clamped.
    /// - Returns: The Campaigns; empty when there are none.
    /// - Throws: ``EngineError/store(_:)``.
    package func halted(app: AppID, limit: Int) async throws(EngineError) -> [Campaign] {
        let limit = min(max(1, limit), Self.maximumPage)
        return try await stored(try await store.halted(app: app, limit: limit))
    }

    /// Returns Campaigns as the API shows them.
    func shown(_ campaigns: [Campaign]) async throws(EngineError) -> [Campaign] {
        let times = try await stored(try await store.resumptions(of: campaigns))
        let now = clock.now()
        return campaigns.map { campaign in
            let campaign = campaign.timed(at: now)
            guard let time = times[campaign.id], time > now else { return campaign }
            var shown = campaign
            shown.state = .scheduled
            shown.nextAt = [campaign.nextAt, time].compactMap(\.self).min()
            return shown
        }
    }
}
