package import CarillonModel
package import CarillonOperatorModel

/// What a Campaign is to those who look at lists; the numbers never change their meaning.
package enum CampaignKind: Int64, Hashable, Sendable, CaseIterable {
    /// An operator's or a back end's.
    case campaign = 0
    /// A message of a User to a User: in no list of Campaigns, and found by no Campaign's id.
    case userMessage = 1
}

/// A Campaign that was accepted, with what the API does not show.
package struct NewCampaign: Sendable {
    package var campaign: Campaign
    /// How long failed attempts are repeated.
    package var retryFor: Duration
    /// A test send: no list shows it.
    package var isTest: Bool
    package var kind: CampaignKind
    package var inbox: InboxPlacement
    package var recipients: [CampaignRecipient]
    /// What the Occurrence is called, if it begins at once.
    package var occurrence: OccurrenceID?
    /// The firing after that one, or the first.
    package var next: Firing?

    package init(
        campaign: Campaign,
        retryFor: Duration,
        isTest: Bool,
        kind: CampaignKind = .campaign,
        inbox: InboxPlacement,
        recipients: [CampaignRecipient] = [],
        occurrence: OccurrenceID?,
        next: Firing? = nil
    ) {
        self.campaign = campaign
        self.retryFor = retryFor
        self.isTest = isTest
        self.kind = kind
        self.inbox = inbox
        self.recipients = recipients
        self.occurrence = occurrence
        self.next = next
    }
}

/// A Campaign with where its firings stand.
package struct PlannedCampaign: Hashable, Sendable {
    package var campaign: Campaign
    /// The first firing that nobody has begun.
    package var next: Firing?
    /// When its times were accepted.
    package var acceptedAt: Timestamp

    package init(campaign: Campaign, next: Firing?, acceptedAt: Timestamp) {
        self.campaign = campaign
        self.next = next
        self.acceptedAt = acceptedAt
    }

    /// How its firings follow each other; `nil` when its time zone is not known here.
    package var plan: FiringPlan? { FiringPlan(campaign, acceptedAt: acceptedAt) }
}

/// A Campaign as it is to be, with what was read of it.
package struct PlannedChange: Hashable, Sendable {
    /// The Campaign as it was read, changed; its App is asked too.
    package var planned: PlannedCampaign
    /// The Campaign and the firing that was next when it was read; both must still be stored.
    package var read: PlannedCampaign
    /// Whether audience, message or kind differ; then nothing may have begun.
    package var changesContent: Bool
    /// Recipients in place of the stored ones; `nil` when those stay.
    package var recipients: [CampaignRecipient]?

    package init(_ planned: PlannedCampaign, from read: PlannedCampaign, _ update: CampaignUpdate) {
        self.planned = planned
        self.read = read
        changesContent = update.changesContent
        recipients = update.newRecipients
    }
}

extension FiringPlan {
    /// A Campaign's firings; `nil` when its time zone is not known here.
    package init?(_ campaign: Campaign, acceptedAt: Timestamp) {
        let start = campaign.sendAt.map { max($0, acceptedAt) } ?? acceptedAt
        self.init(schedule: campaign.schedule, pace: campaign.pace, start: start)
    }
}

/// How a Campaign begins.
package struct Launch: Hashable, Sendable {
    /// What its first Occurrence is called, if it begins at once.
    package var occurrence: OccurrenceID?
    /// The firing after that one, or the first.
    package var next: Firing?

    package init(occurrence: OccurrenceID?, next: Firing?) {
        self.occurrence = occurrence
        self.next = next
    }
}

/// Keeps Campaigns.
package protocol CampaignStore: AudienceLookUp, PersonalStore {
    /// Keeps a Campaign and begins its Occurrence if it has one, on the disk when this returns.
    ///
    /// - Returns: The Campaign as it is kept; `nil` when there is no such App.
    func insert(
        _ new: NewCampaign,
        for request: IdempotentRequest<Campaign>?
    ) async throws(StoreError) -> Campaign?

    /// What an App's settings say of what its Campaigns send; `nil` when there is no such App.
    func contentRules(of app: AppID) async throws(StoreError) -> AppContentRules?

    /// The message of a template; `nil` when there is none, or it is another App's.
    func templateMessage(_ id: TemplateID, of app: AppID) async throws(StoreError) -> Message?

    /// A Device to try a message with; `nil` when there is none.
    func sample(_ device: DeviceID, of app: AppID) async throws(StoreError) -> SampleDevice?

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

    /// When the work of Campaigns that are being sent goes on, of those that have nothing under way and nothing to be
    /// tried again: all that is left of them waits for its time.
    func resumptions(of campaigns: [Campaign]) async throws(StoreError) -> [CampaignID: Timestamp]

    /// How many Campaigns of all Apps are paused with an alarm, at most a thousand and one.
    func haltedCount() async throws(StoreError) -> Int

    /// A Campaign with where its firings stand.
    ///
    /// - Returns: `nil` when there is no such Campaign, or it is another App's.
    func planned(_ id: CampaignID, within app: AppID?) async throws(StoreError) -> PlannedCampaign?

    /// Sends a draft, now or at its time.
    ///
    /// - Parameters:
    ///   - id: Which Campaign.
    ///   - app: Whose; `nil` for anybody's.
    ///   - launch: What begins at once, and what comes next.
    ///   - now: The wall clock.
    /// - Returns: The Campaign before and after; the same twice when its state does not allow it. `nil` when there is no
    ///   such Campaign.
    /// - Throws: ``StoreError``; nothing changed then.
    func send(
        _ id: CampaignID,
        within app: AppID?,
        _ launch: Launch,
        at now: Timestamp
    ) async throws(StoreError) -> CampaignChange?

    /// Pauses a Campaign that is scheduled or being sent, with its Occurrences.
    ///
    /// - Returns: As ``send(_:within:_:at:)``.
    func pause(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Goes on with a paused Campaign.
    ///
    /// - Returns: As ``send(_:within:_:at:)``.
    func resume(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Changes a Campaign that is not over; nothing when it is, or when somebody else changed its firings meanwhile.
    ///
    /// - Parameters:
    ///   - change: What it is to be, and what it was.
    ///   - now: The wall clock.
    /// - Returns: As ``send(_:within:_:at:)``.
    /// - Throws: ``StoreError``; nothing changed then.
    func change(_ change: PlannedChange, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// The recipients of a Campaign that have values, at most 1,000; empty when it has an audience instead.
    func recipients(of campaign: CampaignID, app: AppID) async throws(StoreError) -> [CampaignRecipient]

    /// Cancels a Campaign: at once when nothing of it is under way, else it is `cancelling`.
    ///
    /// - Returns: As ``send(_:within:_:at:)``.
    func cancel(_ id: CampaignID, within app: AppID?, at now: Timestamp) async throws(StoreError) -> CampaignChange?

    /// Cancels one firing of a Campaign, before it has begun or after.
    ///
    /// - Parameters:
    ///   - firing: Which.
    ///   - planned: The Campaign as it was read.
    ///   - next: What comes next, if it was to come next itself.
    ///   - occurrence: What its Occurrence is called, if it has not begun.
    ///   - now: The wall clock.
    /// - Returns: The Occurrence; `nil` when it is over, or somebody else changed the Campaign meanwhile.
    /// - Throws: ``StoreError``; nothing changed then.
    func cancel(
        _ firing: Firing,
        of planned: PlannedCampaign,
        next: Firing?,
        as occurrence: OccurrenceID,
        at now: Timestamp
    ) async throws(StoreError) -> (Firing, Occurrence)?

    /// Occurrences that have begun or were given up, with their figures, in the order of their firings.
    ///
    /// - Parameters:
    ///   - campaign: Whose.
    ///   - last: Only those after this firing's slot and part.
    ///   - limit: How many at most.
    /// - Returns: The Occurrences.
    /// - Throws: ``StoreError``.
    func occurrences(
        of campaign: Campaign,
        after last: Firing?,
        limit: Int
    ) async throws(StoreError) -> [(Firing, Occurrence)]

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

    /// Whether somebody else changed it meanwhile, so that nothing was written.
    package var isOutdated: Bool

    package init(before: Campaign, after: Campaign, isOutdated: Bool = false) {
        self.before = before
        self.after = after
        self.isOutdated = isOutdated
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

extension CampaignStore {
    /// Keeps a Campaign that no request may ask for again.
    package func insert(_ new: NewCampaign) async throws(StoreError) -> Campaign? { try await insert(new, for: nil) }
}
