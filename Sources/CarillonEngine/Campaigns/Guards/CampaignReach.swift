package import CarillonOperatorModel

/// Counts the Devices that a Campaign reaches.
package protocol CampaignReach: Sendable {
    /// Returns how many Devices would get it now.
    ///
    /// - Parameter campaign: The Campaign, with its audience as it is stored.
    /// - Returns: The count.
    /// - Throws: ``EngineError``.
    func reach(of campaign: Campaign) async throws(EngineError) -> Int

    /// Returns who would get it now.
    ///
    /// - Parameter campaign: The Campaign, with its audience as it is stored.
    /// - Returns: The exact counts.
    /// - Throws: ``EngineError``.
    func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures
}

/// Counts with the rules that sending applies.
package struct SendingReach: CampaignReach {
    private let campaigns: Campaigns

    package init(_ campaigns: Campaigns) { self.campaigns = campaigns }

    package func reach(of campaign: Campaign) async throws(EngineError) -> Int {
        try await campaigns.estimate(of: campaign, isExact: true).reach
    }

    package func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures {
        let estimate = try await campaigns.estimate(of: campaign, isExact: true)
        var figures = ReachFigures()
        (figures.devices, figures.users) = (estimate.reach, estimate.users)
        (figures.languages, figures.zones) = (estimate.languages, estimate.zones)
        for part in estimate.skipped { figures.excluded[part.reason] = part.devices }
        for part in estimate.deferred { figures.deferred[part.reason] = part.devices }
        return figures
    }
}

extension Campaigns {
    /// Returns whom a Campaign would reach now.
    ///
    /// - Parameter campaign: The Campaign.
    /// - Returns: The exact counts; none while it has no audience.
    /// - Throws: ``EngineError``.
    package func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures {
        guard let counter else { throw .store(.failed("Nothing counts the reach of campaigns here.")) }
        return try await counter.figures(of: campaign)
    }

    /// Returns how many Devices a Campaign would reach now.
    ///
    /// - Parameter campaign: The Campaign.
    /// - Returns: The count.
    /// - Throws: ``EngineError``.
    package func reach(of campaign: Campaign) async throws(EngineError) -> Int {
        guard let counter else { throw .store(.failed("Nothing counts the reach of campaigns here.")) }
        return try await counter.reach(of: campaign)
    }
}
