import CarillonModel

/// The retention periods of an App in days: the body of `GET` and `PUT /v1/apps/{app}/retention`.
///
/// Campaigns and their totals are never deleted, except test sends, transactional ones and messages between Users.
/// Nothing of an Occurrence in progress is deleted.
public struct RetentionDays: Hashable, Sendable, Codable {
    /// Deliveries of single notifications: 7 through 3,650; 90 when missing.
    public var deliveries = 90
    /// Events: 7 through 3,650; 90 when missing.
    ///
    /// An event of an older push is rejected as too late.
    public var events = 90
    /// Messages in inboxes, and their read marks: 30 through 3,650; 30 when missing.
    ///
    /// An inbox shows the last 30 days in any case.
    public var inbox = 30
    /// Counts by the minute: 7 through 3,650; 35 when missing.
    ///
    /// Those by the half hour are stored for 400 days.
    public var minutes = 35
    /// Ended test sends and transactional Campaigns, with their totals: 30 through 3,650; 30 when missing.
    ///
    /// Their share of the App's counts stays.
    public var campaigns = 30
    /// Lists of Users and Devices of ended Campaigns, with the messages of those that were for one User or Device: 1
    /// through 3,650; 30 when missing.
    ///
    /// The Campaigns and their totals stay.
    public var lists = 30
    /// Messages between Users, with their delivery records: 1 through 3,650; 30 when missing.
    public var userMessages = 30

    /// Creates the defaults.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case deliveries, events, inbox, minutes, campaigns, lists, userMessages
    }

    /// Decodes it strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        self.init()
        deliveries = try fields.integer(.deliveries, 7...3_650) ?? deliveries
        events = try fields.integer(.events, 7...3_650) ?? events
        inbox = try fields.integer(.inbox, 30...3_650) ?? inbox
        minutes = try fields.integer(.minutes, 7...3_650) ?? minutes
        campaigns = try fields.integer(.campaigns, 30...3_650) ?? campaigns
        lists = try fields.integer(.lists, 1...3_650) ?? lists
        userMessages = try fields.integer(.userMessages, 1...3_650) ?? userMessages
    }
}
