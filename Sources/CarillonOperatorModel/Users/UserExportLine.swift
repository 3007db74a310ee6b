public import CarillonModel

/// A line of `GET /v1/users/{user}/export`: one thing that is kept of a User.
///
/// What a line does not speak of is missing.
public struct UserExportLine: Hashable, Sendable, Encodable {
    /// What a line tells of.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The User's id; the first line.
        case user
        case tag
        /// An attribute, by name and value.
        case attribute
        /// A Device as it registered last, with its tokens.
        case device
        /// A Device that the User left, or that was deleted.
        case formerDevice
        /// Where a Device was last.
        case place
        /// A decision of the person at a Device.
        case consent
        /// A token that the push service refused.
        case invalidToken
        /// A message in the inbox of a Device, with what it says.
        case inboxMessage
        /// A message that was read.
        case read
        /// A message that the User wrote or got.
        case userMessage
        /// A Campaign whose list or rule names the User or a Device of theirs.
        case campaignList
        /// What the texts of a Campaign say to the User alone, by name.
        case recipientValues
        /// A saved Audience whose rule does.
        case savedAudience
        /// What became of a notification.
        case delivery
        /// A notification that is to be tried again.
        case retry
        /// That a notification was sent of late, for frequency caps.
        case recentSend
        /// What a phone reported, with the reply and the place that came with it.
        case event
    }

    /// What a phone reported of a notification.
    public struct ReportedEvent: Hashable, Sendable, Encodable {
        /// What happened.
        public var kind: Event.Kind
        /// Which button.
        public var action: String?
        /// What the person wrote.
        public var reply: String?
        /// Where the phone was, in degrees.
        public var latitude: Double?
        /// Where the phone was, in degrees.
        public var longitude: Double?

        /// Makes an event.
        package init(kind: Event.Kind) { self.kind = kind }
    }

    /// What it tells of.
    public var kind: Kind
    /// The User.
    public var user: UserID?
    /// A tag of the User.
    public var tag: Tag?
    /// An attribute's name.
    public var attribute: String?
    /// The attribute's value.
    public var value: JSONValue?
    /// Which Device.
    public var device: DeviceID?
    /// What the Device told last.
    public var registration: Registration?
    /// Since when the person agrees to what they agreed to.
    public var consentTimes: ConsentTimes?
    /// What became of the Device's token.
    public var tokenState: DeviceRecord.TokenState?
    /// The Device's token for calls.
    public var voip: VoIPRegistration?
    /// When the Device registered first.
    public var createdAt: Timestamp?
    /// When it registered last.
    public var registeredAt: Timestamp?
    /// Where a Device was.
    public var location: DeviceLocation?
    /// A decision.
    public var consent: ConsentChange?
    /// A refused token.
    public var invalidToken: InvalidToken?
    /// Which Campaign, or which message between Users.
    public var campaign: CampaignID?
    /// Which firing of it.
    public var occurrence: OccurrenceID?
    /// What the Campaign is called.
    public var name: String?
    /// What it says; of a Campaign to many, which says the same to all, it is missing.
    public var message: Message?
    /// The ids of the person that the Campaign's list or rule names.
    public var named: [String]?
    /// What places `{{recipient.NAME}}` are filled with.
    public var values: TemplateValues?
    /// A saved Audience.
    public var audience: AudienceID?
    /// Whether a message was read.
    public var isRead: Bool?
    /// Who wrote a message.
    public var from: UserID?
    /// Whom a message is to.
    public var to: UserID?
    /// What became of a notification.
    public var delivery: Delivery?
    /// What a phone reported.
    public var event: ReportedEvent?
    /// When.
    public var at: Timestamp?

    /// Makes a line.
    ///
    /// - Parameter kind: What it tells of.
    package init(_ kind: Kind) { self.kind = kind }
}
