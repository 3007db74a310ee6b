import CarillonModel
import CarillonOperatorModel

/// Why an API key may not send a Campaign.
package struct RecipientsRefusal: Hashable, Sendable {
    /// What the key's limit is about.
    package enum Period: String, Hashable, Sendable {
        case campaign, hour
    }

    package var period: Period
    /// The key's limit.
    package var cap: Int
    /// How many Devices it reaches.
    package var reach: Int
    /// How many Devices the key's Campaigns of this hour have reached.
    package var used: Int

    package init(period: Period, cap: Int, reach: Int, used: Int = 0) {
        self.period = period
        self.cap = cap
        self.reach = reach
        self.used = used
    }

    /// The limit and the count, as a sentence.
    package var sentence: String {
        switch period {
        case .campaign: "It reaches \(reach) Devices, and a campaign of the key may reach \(cap)."
        case .hour:
            "It reaches \(reach) Devices, the key's campaigns of this hour have reached \(used), and they may reach \(cap)."
        }
    }
}

/// What guards the sends of API keys, over V1 and over vendor APIs.
extension Campaigns {
    /// Checks a key's limits, and whether its Campaign needs approval.
    ///
    /// The Devices are counted only where the answer depends on it.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign that is about to be sent.
    ///   - caller: Who sends it; `nil` for the server itself.
    ///   - guards: The App's guards.
    /// - Returns: How many Devices it reaches when it needs approval, otherwise `nil`.
    /// - Throws: ``EngineError/Refusal/tooManyRecipients(_:)``; nothing may be sent then.
    func approvalReach(
        of campaign: Campaign,
        _ caller: CampaignCaller?,
        _ guards: SendGuards
    ) async throws(EngineError) -> Int? {
        guard let caller, !caller.isOperator else { return nil }
        guard guards.appliesToKeys || caller.hasLimits else { return nil }
        let reach = try await reach(of: campaign)
        try Self.check(reach, caller)
        if guards.appliesToKeys, reach > guards.approveAbove { return reach }
        try await charge(reach, caller)
        return nil
    }

    /// Checks a key's limits after a change of a Campaign that is no draft; the hour is charged with what was added.
    func checkRecipients(
        of campaign: Campaign,
        from before: Campaign,
        _ caller: CampaignCaller
    ) async throws(EngineError) {
        guard !caller.isOperator, caller.hasLimits else { return }
        let reach = try await reach(of: campaign)
        try Self.check(reach, caller)
        guard caller.recipientsPerHour != nil else { return }
        let added = reach - (try await self.reach(of: before))
        if added > 0 { try await charge(added, caller) }
    }

    /// Counts Devices for the hour of a key with such a limit.
    func charge(_ reach: Int, _ caller: CampaignCaller) async throws(EngineError) {
        guard let limit = caller.recipientsPerHour, case .key(let key) = caller.author else { return }
        let used = try await stored(try await store.addRecipients(reach, of: key, limit: limit, at: clock.now()))
        guard used + reach <= limit else {
            throw .refused(.tooManyRecipients(RecipientsRefusal(period: .hour, cap: limit, reach: reach, used: used)))
        }
    }

    private static func check(_ reach: Int, _ caller: CampaignCaller) throws(EngineError) {
        guard let cap = caller.recipientsPerCampaign, reach > cap else { return }
        throw .refused(.tooManyRecipients(RecipientsRefusal(period: .campaign, cap: cap, reach: reach)))
    }
}

extension CampaignCaller {
    /// The caller that an API key stands for.
    package init(_ principal: Principal) {
        self.init(.key(principal.key))
        recipientsPerCampaign = principal.recipientsPerCampaign
        recipientsPerHour = principal.recipientsPerHour
    }

    var isOperator: Bool { if case .operator = author { true } else { false } }

    fileprivate var hasLimits: Bool { recipientsPerCampaign != nil || recipientsPerHour != nil }
}
