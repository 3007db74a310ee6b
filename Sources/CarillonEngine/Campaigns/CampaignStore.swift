package import CarillonModel
package import CarillonOperatorModel

/// A Campaign that was accepted, with what the API does not show.
package struct NewCampaign: Sendable {
    package var campaign: Campaign
    /// How long failed attempts are repeated.
    package var retryFor: Duration
    /// A test send: no list shows it.
    package var isTest: Bool
    package var inbox: InboxPlacement
    /// What the Occurrence is called, if it begins at once.
    package var occurrence: OccurrenceID?

    package init(campaign: Campaign, retryFor: Duration, isTest: Bool, inbox: InboxPlacement, occurrence: OccurrenceID?)
    {
        self.campaign = campaign
        self.retryFor = retryFor
        self.isTest = isTest
        self.inbox = inbox
        self.occurrence = occurrence
    }
}

/// Keeps Campaigns.
package protocol CampaignStore: AudienceLookUp {
    /// Keeps a Campaign and begins its Occurrence if it has one, on the disk when this returns.
    ///
    /// - Returns: The Campaign as it is kept; `nil` when there is no such App.
    func insert(_ new: NewCampaign) async throws(StoreError) -> Campaign?

    /// The words that an App's phones understand; `nil` when there is no such App.
    func dialect(of app: AppID) async throws(StoreError) -> App.Dialect?

    /// Whether an App has a key that figures may be gathered under.
    func hasStatisticsKey(_ id: StatisticsID, app: AppID) async throws(StoreError) -> Bool

    /// - Returns: `nil` when there is no such Campaign, or it is another App's.
    func campaign(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign?

    /// Campaigns without test sends, newest first.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` of all.
    ///   - id: Only older ones than this.
    ///   - limit: How many at most.
    /// - Returns: The Campaigns.
    /// - Throws: ``StoreError``.
    func list(app: AppID?, after id: CampaignID?, limit: Int) async throws(StoreError) -> [Campaign]

    /// Sends a draft, now or at its time, or goes on with a paused Campaign.
    ///
    /// - Parameters:
    ///   - id: Which Campaign.
    ///   - app: Whose; `nil` for anybody's.
    ///   - occurrence: What its Occurrence is called, if it begins at once.
    ///   - now: The wall clock.
    /// - Returns: The Campaign before and after; the same twice when its state does not allow it. `nil` when there is no
    ///   such Campaign.
    /// - Throws: ``StoreError``; nothing changed then.
    func send(
        _ id: CampaignID,
        within app: AppID?,
        occurrence: OccurrenceID,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange?

    /// Cancels a Campaign: at once when nothing of it is under way, else it is `cancelling`.
    ///
    /// - Returns: As ``send(_:within:occurrence:at:)``.
    func cancel(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// What became of a Campaign so far, from counters.
    func funnel(of campaign: Campaign) async throws(StoreError) -> Funnel

    /// Notifications that are over without being taken, by reason, most first; at most 1,000 reasons.
    func failures(of campaign: Campaign) async throws(StoreError) -> [FailureCount]

    /// The fates of single notifications, in the order of their Devices' numbers.
    func deliveries(
        of campaign: Campaign,
        after position: DeliveryPosition?,
        limit: Int
    ) async throws(StoreError) -> [(position: DeliveryPosition, delivery: Delivery)]
}

/// A Campaign before and after a request.
package struct CampaignChange: Hashable, Sendable {
    package var before: Campaign
    package var after: Campaign

    package init(before: Campaign, after: Campaign) {
        self.before = before
        self.after = after
    }
}

/// A place in the order of a Campaign's deliveries.
package struct DeliveryPosition: Hashable, Sendable {
    package var device: DeviceNumber
    package var pushType: PushType

    package init(device: DeviceNumber, pushType: PushType) {
        self.device = device
        self.pushType = pushType
    }

    /// Reads a page's cursor; `nil` for anything that is none.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, cursor.utf8.count <= 40, let number = Int64(parts[0], radix: 36), number >= 0,
            let pushType = PushType(rawValue: String(parts[1]))
        else { return nil }
        self.init(device: DeviceNumber(rawValue: number), pushType: pushType)
    }

    package var cursor: String { String(device.rawValue, radix: 36) + "." + pushType.rawValue }
}
