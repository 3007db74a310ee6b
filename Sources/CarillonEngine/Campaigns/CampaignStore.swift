package import CarillonModel
package import CarillonOperatorModel

/// Whether a Campaign appears in lists; the numbers are stored and must not change.
package enum CampaignKind: Int64, Hashable, Sendable, CaseIterable {
    /// A Campaign of an operator or back end.
    case campaign = 0
    /// A message of a User to a User, which lists of Campaigns and lookups by id leave out.
    case userMessage = 1
}

/// An accepted Campaign, with properties that the API does not show.
package struct NewCampaign: Sendable {
    package var campaign: Campaign
    /// How long failed attempts are retried.
    package var retryFor: Duration
    /// Whether it is a test send, which lists leave out.
    package var isTest: Bool
    package var kind: CampaignKind
    package var inbox: InboxPlacement
    package var recipients: [CampaignRecipient]
    /// The id of the Occurrence, if it begins at once.
    package var occurrence: OccurrenceID?
    /// The next firing after that one, or the first.
    package var next: Firing?
    /// What of an alert it tells.
    package var step: ContentAlertStep?
    /// How it was written and confirmed.
    package var guards: CampaignGuards

    package init(
        campaign: Campaign,
        retryFor: Duration,
        isTest: Bool,
        kind: CampaignKind = .campaign,
        inbox: InboxPlacement,
        recipients: [CampaignRecipient] = [],
        occurrence: OccurrenceID?,
        next: Firing? = nil,
        step: ContentAlertStep? = nil
    ) {
        self.campaign = campaign
        guards = CampaignGuards(campaign)
        self.step = step
        self.retryFor = retryFor
        self.isTest = isTest
        self.kind = kind
        self.inbox = inbox
        self.recipients = recipients
        self.occurrence = occurrence
        self.next = next
    }
}

/// How a Campaign begins.
package struct Launch: Hashable, Sendable {
    /// The id of its first Occurrence, if it begins at once.
    package var occurrence: OccurrenceID?
    /// The next firing after that one, or the first.
    package var next: Firing?

    package init(occurrence: OccurrenceID?, next: Firing?) {
        self.occurrence = occurrence
        self.next = next
    }
}

/// Stores Campaigns.
package protocol CampaignStore: AudienceLookUp, PersonalStore, ReachStore, CampaignGuardStore {
    /// Saves a Campaign durably and begins its Occurrence if it has one.
    ///
    /// Many recipients are saved in short transactions before it; nobody sees any of them without the Campaign.
    ///
    /// - Returns: The Campaign as stored; `nil` when there is no such App.
    func insert(
        _ new: NewCampaign,
        for request: IdempotentRequest<Campaign>?
    ) async throws(StoreError) -> Campaign?

    /// Returns an App's settings for its Campaigns; `nil` when there is no such App.
    func contentRules(of app: AppID) async throws(StoreError) -> AppContentRules?

    /// Returns the message of a template; `nil` when there is none, or it is another App's.
    func templateMessage(_ id: TemplateID, of app: AppID) async throws(StoreError) -> Message?

    /// Returns a Device for a dry run; `nil` when there is none.
    func sample(_ device: DeviceID, of app: AppID) async throws(StoreError) -> SampleDevice?

    /// Returns the numbers of an App's newest Devices.
    func newestDevices(of app: AppID, limit: Int) async throws(StoreError) -> [DeviceNumber]

    /// Returns whether an App has a statistics key.
    func hasStatisticsKey(_ id: StatisticsID, app: AppID) async throws(StoreError) -> Bool

    /// - Returns: `nil` when there is no such Campaign, or it is another App's.
    func campaign(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign?

    /// Returns the id of an Occurrence's Campaign; `nil` when the App has no such Occurrence.
    func campaign(of occurrence: OccurrenceID, app: AppID) async throws(StoreError) -> CampaignID?

    /// Returns Campaigns without test sends, newest first.
    ///
    /// - Parameters:
    ///   - app: Of one App; `nil` for all.
    ///   - id: Only older ones than this.
    ///   - limit: The maximum number of Campaigns.
    /// - Returns: The Campaigns.
    /// - Throws: ``StoreError``.
    func list(app: AppID?, after id: CampaignID?, limit: Int) async throws(StoreError) -> [Campaign]

    /// Returns an App's latest Campaigns without test sends, newest first, to look for what they say and for whom they are:
    /// an audience that lists many is ``Audience/redacted``.
    func latest(app: AppID, limit: Int) async throws(StoreError) -> [Campaign]

    /// Returns when sending continues, for Campaigns that are being sent and have no open Chunk and no retry: the rest
    /// of them waits for its time.
    func resumptions(of campaigns: [Campaign]) async throws(StoreError) -> [CampaignID: Timestamp]

    /// Returns how many Campaigns of all Apps an alarm has paused, at most 1,001.
    func haltedCount() async throws(StoreError) -> Int

    /// Returns an App's Campaigns that an alarm has paused, newest first.
    func halted(app: AppID, limit: Int) async throws(StoreError) -> [Campaign]

    /// Returns a Campaign with its progress.
    ///
    /// - Returns: `nil` when there is no such Campaign, or it is another App's.
    func planned(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> PlannedCampaign?

    /// Pauses a Campaign that is scheduled or being sent, with its Occurrences.
    ///
    /// - Returns: The Campaign before and after; both equal when its state does not allow it. `nil` when there is no
    ///   such Campaign.
    func pause(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Continues a paused Campaign.
    ///
    /// - Returns: As ``pause(_:within:at:)``.
    func resume(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Changes a Campaign that is not complete; changes nothing when it is, or when its firings changed meanwhile.
    ///
    /// - Parameters:
    ///   - change: The new version, and the one that was read.
    ///   - now: The wall clock.
    /// - Returns: As ``pause(_:within:at:)``.
    /// - Throws: ``StoreError``; nothing changed then.
    func change(_ change: PlannedChange, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Deletes a draft with its recipients.
    ///
    /// - Returns: The Campaign as it was; it stays when it is no draft. `nil` when there is none, or it is another App's.
    func deleteDraft(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> Campaign?

    /// Returns the recipients of a Campaign with their values, ordered by User; empty when it has an audience
    /// instead.
    func recipients(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [CampaignRecipient]

    /// Cancels a Campaign: at once when nothing of it is being sent, otherwise it becomes `cancelling`.
    ///
    /// - Returns: As ``pause(_:within:at:)``.
    func cancel(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Cancels one firing of a Campaign, before it has begun or after.
    ///
    /// - Parameters:
    ///   - firing: The firing.
    ///   - planned: The Campaign as it was read.
    ///   - next: The firing after it, if it was the next one.
    ///   - occurrence: The id of its Occurrence, if it has not begun.
    ///   - now: The wall clock.
    /// - Returns: The Occurrence; `nil` when it is complete, or the Campaign changed meanwhile.
    /// - Throws: ``StoreError``; nothing changed then.
    func cancel(
        _ firing: Firing,
        of planned: PlannedCampaign,
        next: Firing?,
        as occurrence: OccurrenceID,
        at now: Timestamp
    ) async throws(StoreError) -> (Firing, Occurrence)?

    /// Returns Occurrences that have begun or were skipped, with their counts, in the order of their firings.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - last: Only those after this firing's slot and part.
    ///   - limit: The maximum number of Occurrences.
    /// - Returns: The Occurrences.
    /// - Throws: ``StoreError``.
    func occurrences(
        of campaign: Campaign,
        after last: Firing?,
        limit: Int
    ) async throws(StoreError) -> [(Firing, Occurrence)]

    /// Returns the firing of an Occurrence that has begun or was skipped; `nil` when the Campaign has none of this id.
    func firing(of occurrence: OccurrenceID, in campaign: Campaign) async throws(StoreError) -> Firing?

    /// Returns how many Devices the largest Occurrence matched from one on, of the latest 10,000; `nil` when there is none.
    func largestReach(of app: AppID, since first: OccurrenceID) async throws(StoreError) -> Int?

    /// Returns the messages of test sends from one on, the latest first; at most 100.
    func testMessages(of app: AppID, since first: CampaignID) async throws(StoreError) -> [Message]

    /// Returns a Campaign's funnel so far, from stored counts.
    func funnel(of campaign: Campaign) async throws(StoreError) -> Funnel

    /// Returns the counts of refused notifications by reason, largest first; at most 1,000 reasons.
    func failures(of campaign: Campaign) async throws(StoreError) -> [FailureCount]

    /// Returns single deliveries, in the order of their Devices' numbers.
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

    /// Whether it changed since it was read, so that nothing was written.
    package var isOutdated: Bool

    package init(before: Campaign, after: Campaign, isOutdated: Bool = false) {
        self.before = before
        self.after = after
        self.isOutdated = isOutdated
    }
}

/// A position in the order of a Campaign's deliveries.
package struct DeliveryPosition: Hashable, Sendable {
    package var device: DeviceNumber
    package var pushType: PushType

    package init(device: DeviceNumber, pushType: PushType) {
        self.device = device
        self.pushType = pushType
    }

    /// Parses a page's cursor; `nil` when it is invalid.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, cursor.utf8.count <= 40, let number = Int64(parts[0], radix: 36), number >= 0,
            let pushType = PushType(rawValue: String(parts[1]))
        else { return nil }
        self.init(device: DeviceNumber(rawValue: number), pushType: pushType)
    }

    package var cursor: String { String(device.rawValue, radix: 36) + "." + pushType.rawValue }
}

extension CampaignStore {
    /// Saves a Campaign without an idempotency key.
    package func insert(_ new: NewCampaign) async throws(StoreError) -> Campaign? { try await insert(new, for: nil) }
}
