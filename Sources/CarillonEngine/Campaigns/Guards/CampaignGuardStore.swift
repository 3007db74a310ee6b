package import CarillonModel
package import CarillonOperatorModel

/// Stores the steps of Campaigns that have guards.
package protocol CampaignMoveStore: Sendable {
    /// Makes a step, unless state, version or guards of the Campaign are not those that were read.
    ///
    /// - Returns: The Campaign before and after; both equal, and outdated, when nothing was written. `nil` when there is no
    ///   such Campaign.
    /// - Throws: ``StoreError``; nothing changed then.
    func move(_ move: GuardedMove, at now: Timestamp) async throws(StoreError) -> CampaignChange?
}

/// Stores what guards Campaigns.
package protocol CampaignGuardStore: CampaignMoveStore {
    /// Returns how many active Operators besides one may send an App's Campaigns, at most 2.
    func otherSenders(in app: AppID, besides operator: OperatorID?) async throws(StoreError) -> Int

    /// Returns the Campaigns that wait for approval, newest first.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only older ones than this.
    ///   - limit: The maximum number of Campaigns.
    /// - Returns: The Campaigns; empty when nothing waits.
    /// - Throws: ``StoreError``.
    func waiting(app: AppID?, after id: CampaignID?, limit: Int) async throws(StoreError) -> [Campaign]

    /// Counts recipients of an API key's Campaign, unless the hour's would be more than a limit.
    ///
    /// The hour begins with the first Campaign after the end of the one before.
    ///
    /// - Parameters:
    ///   - count: How many Devices it reaches.
    ///   - key: The key.
    ///   - limit: The maximum of an hour.
    ///   - now: The wall clock.
    /// - Returns: How many were counted before in this hour; nothing was added when the sum is more than the limit.
    /// - Throws: ``StoreError``; nothing changed then.
    func addRecipients(
        _ count: Int,
        of key: APIKeyID,
        limit: Int,
        at now: Timestamp
    ) async throws(StoreError) -> Int
}
