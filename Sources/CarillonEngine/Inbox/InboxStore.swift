package import CarillonModel
package import CarillonOperatorModel

/// How a Campaign's messages come into inboxes; fixed when it is accepted.
package enum InboxPlacement: Int64, Hashable, Sendable, CaseIterable {
    /// Not at all: nothing is shown, somebody tries it out, or a call rings.
    case none = 0
    /// A row for each Device is written with its delivery: an explicit list, of at most 10,000.
    case row = 1
    /// Nothing is written; whoever asks is looked up among the deliveries.
    case lookUp = 2

    /// The placement of a Campaign.
    ///
    /// - Parameters:
    ///   - request: What was asked for.
    ///   - isTest: Whether it is a test send.
    package init(_ request: CampaignRequest, isTest: Bool) {
        guard !isTest, !request.message.silent, request.channel == .notification else {
            self = .none
            return
        }
        switch request.audience {
        case .all, .rule, .saved: self = .lookUp
        case .users, .devices, .redacted: self = .row
        }
    }
}

/// Who reads: what one of a User's Devices has read, all have.
package enum InboxOwner: Hashable, Sendable {
    /// A User whom the App's back end vouches for.
    case user(UserID)
    /// A Device on its own: it has no User, or anybody may claim its User.
    case device
}

/// A message in an inbox, without its content.
package struct InboxEntry: Hashable, Sendable {
    package var occurrence: OccurrenceID
    /// The number of the Device that it came to.
    package var device: DeviceNumber
    package var isRead: Bool

    package init(occurrence: OccurrenceID, device: DeviceNumber, isRead: Bool) {
        self.occurrence = occurrence
        self.device = device
        self.isRead = isRead
    }
}

/// What is in an inbox, and whose it is.
package struct InboxListing: Hashable, Sendable {
    package var owner: InboxOwner
    /// The Device's number.
    package var device: DeviceNumber
    /// The Device's language.
    package var language: String?
    /// Newest first.
    package var entries: [InboxEntry]

    package init(owner: InboxOwner, device: DeviceNumber, language: String?, entries: [InboxEntry]) {
        self.owner = owner
        self.device = device
        self.language = language
        self.entries = entries
    }
}

/// What a store answers to a Device that asks for its inbox.
package enum InboxAnswer: Hashable, Sendable {
    case found(InboxListing)
    /// The Device has another secret.
    case refused
    /// There is no such Device.
    case unknown
}

/// What an Occurrence said, in all its languages; it does not change.
package struct InboxContent: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var campaign: CampaignID
    package var message: Message
    package var isAd: Bool
    /// What its content depends on beside the message.
    package var rules: ContentRules
    package var sentAt: Timestamp

    package init(
        occurrence: OccurrenceID,
        campaign: CampaignID,
        message: Message,
        isAd: Bool = false,
        rules: ContentRules = ContentRules(),
        sentAt: Timestamp
    ) {
        self.occurrence = occurrence
        self.campaign = campaign
        self.message = message
        self.isAd = isAd
        self.rules = rules
        self.sentAt = sentAt
    }
}

/// Finds what came to Devices, and keeps what was read.
package protocol InboxStore: PersonalStore {
    /// Looks into a Device's inbox: what was accepted for any number that is the Device's and its User's.
    ///
    /// The work is bounded whatever was sent: at most 1,000 broadcasts and 32 numbers are looked at.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which.
    ///   - secretHash: What proves that the Device asks.
    ///   - first: The oldest Occurrence that is shown.
    ///   - limit: How many at most.
    /// - Returns: What is there.
    /// - Throws: ``StoreError``.
    func listing(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash,
        since first: OccurrenceID,
        limit: Int
    ) async throws(StoreError) -> InboxAnswer

    /// What Occurrences said; those that there are not are left out.
    func contents(of occurrences: [OccurrenceID], app: AppID) async throws(StoreError) -> [InboxContent]

    /// What Campaigns said to the User of a Device alone; those that said nothing are left out.
    ///
    /// - Parameters:
    ///   - campaigns: Each once, at most as many as an inbox has messages.
    ///   - device: The Device's number.
    ///   - app: Whose.
    /// - Returns: The values by Campaign.
    /// - Throws: ``StoreError``.
    func recipientValues(
        of campaigns: [CampaignID],
        for device: DeviceNumber,
        app: AppID
    ) async throws(StoreError) -> [CampaignID: TemplateValues]

    /// Keeps that entries were read, and forgets what their owner read before the oldest Occurrence that is shown.
    func markRead(
        _ entries: [InboxEntry],
        by owner: InboxOwner,
        app: AppID,
        since first: OccurrenceID
    ) async throws(StoreError)

    /// Erases a part of what phones reported and of what is in inboxes; counts stay.
    ///
    /// - Parameters:
    ///   - app: Whose.
    ///   - device: The Device, under its number and all former ones.
    ///   - user: The User whose other Devices' past is erased too, if any.
    ///   - occurrence: How far it came; `nil` at the beginning.
    /// - Returns: How far it came; `nil` when all of it is erased.
    /// - Throws: ``StoreError``; this part was not erased then.
    func erase(
        app: AppID,
        device: DeviceID,
        user: UserID?,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID?
}
