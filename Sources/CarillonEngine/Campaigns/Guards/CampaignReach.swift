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

    /// Returns who would get it now, where it is known with Devices to be shown.
    ///
    /// - Parameter campaign: The Campaign, with its audience as it is stored.
    /// - Returns: The exact counts.
    /// - Throws: ``EngineError``.
    func count(of campaign: Campaign) async throws(EngineError) -> ExactCount
}

extension CampaignReach {
    package func count(of campaign: Campaign) async throws(EngineError) -> ExactCount {
        ExactCount(figures: try await figures(of: campaign))
    }
}

/// Counts with the rules that sending applies.
package struct SendingReach: CampaignReach {
    private let campaigns: Campaigns

    package init(_ campaigns: Campaigns) { self.campaigns = campaigns }

    package func reach(of campaign: Campaign) async throws(EngineError) -> Int {
        try await campaigns.estimate(of: campaign, isExact: true).reach
    }

    package func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures {
        ReachFigures(try await campaigns.estimate(of: campaign, isExact: true))
    }

    package func count(of campaign: Campaign) async throws(EngineError) -> ExactCount {
        let counted = try await campaigns.counted(campaign, isExact: true)
        return ExactCount(figures: ReachFigures(counted.estimate), counted: counted)
    }
}

extension ReachFigures {
    /// What an estimate counted.
    package init(_ estimate: ReachEstimate) {
        self.init()
        (devices, users) = (estimate.reach, estimate.users)
        (languages, zones) = (estimate.languages, estimate.zones)
        for part in estimate.skipped { excluded[part.reason] = part.devices }
        for part in estimate.deferred { deferred[part.reason] = part.devices }
    }
}

extension Campaigns {
    /// Returns whom a Campaign would reach now.
    ///
    /// - Parameter campaign: The Campaign.
    /// - Returns: The exact counts; none while it has no audience.
    /// - Throws: ``EngineError``.
    package func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures {
        try await sharedCount(of: campaign, isFresh: true).figures
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
