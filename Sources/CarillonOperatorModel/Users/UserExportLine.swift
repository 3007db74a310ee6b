public import CarillonModel

/// A line of `GET /v1/users/{user}/export`: one object that is stored about a User.
///
/// Fields that do not apply to the kind are missing.
public struct UserExportLine: Hashable, Sendable, Encodable {
    /// The kind of a line.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The User's id; the first line.
        case user
        /// The User's account, without its password.
        case account
        case tag
        /// An attribute, by name and value.
        case attribute
        /// What of a content set the User wants to hear of: its name, and the rest as the value.
        case contentFollow
        /// A file that the User has attached to a row of a content set: its name, and the rest but for the file as the value.
        case contentAttachment
        /// A Device's last registration, with its tokens.
        case device
        /// A Device that the User left, or that was deleted.
        case formerDevice
        /// A Device's last location.
        case place
        /// A consent decision at a Device.
        case consent
        /// A device token that APNs refused.
        case invalidToken
        /// A message in the inbox of a Device, with its content.
        case inboxMessage
        /// A message that was read.
        case read
        /// A message that the User sent or received.
        case userMessage
        /// A Campaign whose list or rule names the User or one of their Devices.
        case campaignList
        /// Values of a Campaign for the User, by name.
        case recipientValues
        /// A saved audience whose rule does.
        case savedAudience
        /// The delivery of a notification.
        case delivery
        /// A notification to be retried.
        case retry
        /// A recent notification, for frequency caps.
        case recentSend
        /// An event, with its reply and location.
        case event
    }

    /// An event that a phone reported.
    public struct ReportedEvent: Hashable, Sendable, Encodable {
        /// The kind of event.
        public var kind: Event.Kind
        /// The button's id.
        public var action: String?
        /// The text of the reply.
        public var reply: String?
        /// The phone's latitude, in degrees.
        public var latitude: Double?
        /// The phone's longitude, in degrees.
        public var longitude: Double?

        /// Creates an event.
        package init(kind: Event.Kind) { self.kind = kind }
    }

    /// The kind of the line.
    public var kind: Kind
    /// The User.
    public var user: UserID?
    /// The User's account.
    public var account: AccountRecord?
    /// A tag of the User.
    public var tag: Tag?
    /// An attribute's name.
    public var attribute: String?
    /// The attribute's value, or what is followed.
    public var value: JSONValue?
    /// The Device.
    public var device: DeviceID?
    /// The Device's last registration.
    public var registration: Registration?
    /// Since when the person consents.
    public var consentTimes: ConsentTimes?
    /// The state of the Device's token.
    public var tokenState: DeviceRecord.TokenState?
    /// The Device's VoIP token.
    public var voip: VoIPRegistration?
    /// The Device's id at the service whose API registered it, if that is no UUID.
    public var vendorDeviceID: String?
    /// The Device's first registration.
    public var createdAt: Timestamp?
    /// The Device's last registration.
    public var registeredAt: Timestamp?
    /// The location of a Device.
    public var location: DeviceLocation?
    /// A decision.
    public var consent: ConsentChange?
    /// A refused token.
    public var invalidToken: InvalidToken?
    /// The Campaign, or the message between Users.
    public var campaign: CampaignID?
    /// Its Occurrence.
    public var occurrence: OccurrenceID?
    /// The Campaign's name, or that of a follow.
    public var name: String?
    /// The message; missing for a Campaign to many, whose content is not personal.
    public var message: Message?
    /// The person's ids in the Campaign's list or rule.
    public var named: [String]?
    /// Values of the placeholders `{{recipient.NAME}}`.
    public var values: TemplateValues?
    /// A saved Audience.
    public var audience: AudienceID?
    /// Whether a message was read.
    public var isRead: Bool?
    /// The sender of a message.
    public var from: UserID?
    /// The recipient of a message.
    public var to: UserID?
    /// The delivery of a notification.
    public var delivery: Delivery?
    /// An event that a phone reported.
    public var event: ReportedEvent?
    /// The time.
    public var at: Timestamp?

    /// Creates a line.
    ///
    /// - Parameter kind: The kind of the line.
    package init(_ kind: Kind) { self.kind = kind }
}
