package import CarillonModel
package import CarillonOperatorModel

/// How a Campaign's messages get into inboxes; fixed when it is accepted.
package enum InboxPlacement: Int64, Hashable, Sendable, CaseIterable {
    /// Not at all: for silent messages, test sends and calls.
    case none = 0
    /// A row for each Device is written with its delivery: an explicit list, of at most 10,000.
    case row = 1
    /// Nothing is written; the delivery is looked up when an inbox is read.
    case lookUp = 2

    /// The placement of a Campaign.
    ///
    /// - Parameters:
    ///   - request: The request.
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

/// Whose read marks apply: a message that was read on one of a User's Devices is read on all.
package enum InboxOwner: Hashable, Sendable {
    /// A User whom the App's back end proves.
    case user(UserID)
    /// A single Device: it has no User, or the App has open identity.
    case device
}

/// A message in an inbox, without its content.
package struct InboxEntry: Hashable, Sendable {
    package var occurrence: OccurrenceID
    /// The number of the Device that received it.
    package var device: DeviceNumber
    package var isRead: Bool

    package init(occurrence: OccurrenceID, device: DeviceNumber, isRead: Bool) {
        self.occurrence = occurrence
        self.device = device
        self.isRead = isRead
    }
}

/// The entries of an inbox, and its owner.
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

/// A store's answer to a Device that reads its inbox.
package enum InboxAnswer: Hashable, Sendable {
    case found(InboxListing)
    /// The secret is not the Device's.
    case refused
    /// There is no such Device.
    case unknown
}

/// The content of an Occurrence, in all its languages; immutable.
package struct InboxContent: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var campaign: CampaignID
    package var message: Message
    package var isAd: Bool
    /// The rules for its content.
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

/// Finds received messages, and stores which were read.
package protocol InboxStore: PersonalStore {
    /// Returns a Device's inbox: accepted notifications for all numbers of the Device and its User.
    ///
    /// The work is bounded: at most 1,000 broadcasts and 32 numbers are read.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secretHash: The hash of the Device's secret.
    ///   - first: The oldest Occurrence to return.
    ///   - limit: The maximum number of entries.
    /// - Returns: The inbox.
    /// - Throws: ``StoreError``.
    func listing(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash,
        since first: OccurrenceID,
        limit: Int
    ) async throws(StoreError) -> InboxAnswer

    /// Returns the latest Occurrences of Campaigns to every Device, newest first; of those in groups the first group of
    /// each time.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - first: The oldest Occurrence to return.
    ///   - limit: How many broadcasts are looked at, also those to rules.
    /// - Returns: The Occurrences.
    /// - Throws: ``StoreError``.
    func broadcasts(app: AppID, since first: OccurrenceID, limit: Int) async throws(StoreError) -> [OccurrenceID]

    /// Returns the content of Occurrences; leaves out those that do not exist.
    func contents(of occurrences: [OccurrenceID], app: AppID) async throws(StoreError) -> [InboxContent]

    /// Returns the values that Campaigns have for the User of a Device as a recipient; leaves out Campaigns without
    /// any.
    ///
    /// - Parameters:
    ///   - campaigns: Without repetition, at most as many as an inbox has messages.
    ///   - device: The Device's number.
    ///   - app: The App.
    /// - Returns: The values by Campaign.
    /// - Throws: ``StoreError``.
    func recipientValues(
        of campaigns: [CampaignID],
        for device: DeviceNumber,
        app: AppID
    ) async throws(StoreError) -> [CampaignID: TemplateValues]

    /// Marks entries as read, and deletes their owner's marks before the oldest Occurrence to return.
    func markRead(
        _ entries: [InboxEntry],
        by owner: InboxOwner,
        app: AppID,
        since first: OccurrenceID
    ) async throws(StoreError)

    /// Erases a part of the events of phones and of the content of inboxes; counts stay.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device, under its number and all former ones.
    ///   - user: The User whose other Devices' history is erased too, if any.
    ///   - occurrence: Where the last part ended; `nil` at the beginning.
    /// - Returns: Where this part ended; `nil` when all of it is erased.
    /// - Throws: ``StoreError``; this part was not erased then.
    func erase(
        app: AppID,
        device: DeviceID,
        user: UserID?,
        after occurrence: OccurrenceID?
    ) async throws(StoreError) -> OccurrenceID?
}
