package import CarillonModel
package import CarillonOperatorModel

extension Campaigns {
    /// A Campaign as its operator sees it.
    ///
    /// While all that is left of it waits for its time - in each Device's own zone, for the end of a night or of quiet
    /// hours - it is `scheduled`, and ``Campaign/nextAt`` says when it goes on.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - app: Only if it belongs to this App; `nil` for any.
    /// - Returns: The Campaign.
    /// - Throws: ``EngineError/notFound(_:)``.
    package func shown(_ id: CampaignID, within app: AppID?) async throws(EngineError) -> Campaign {
        try await shown([try await campaign(id, within: app)])[0]
    }

    /// How many Campaigns of all Apps the server paused with an alarm and nobody resumed or cancelled, at most 1,001;
    /// `nil` while the store does not answer.
    package func haltedCount() async -> Int? { try? await store.haltedCount() }

    /// Campaigns as their operators see them.
    func shown(_ campaigns: [Campaign]) async throws(EngineError) -> [Campaign] {
        let times = try await stored(try await store.resumptions(of: campaigns))
        let now = clock.now()
        return campaigns.map { campaign in
            guard let time = times[campaign.id], time > now else { return campaign }
            var shown = campaign
            shown.state = .scheduled
            shown.nextAt = [campaign.nextAt, time].compactMap(\.self).min()
            return shown
        }
    }
}
