import CarillonModel

/// How long an App's rows are kept, in days: the body of `GET` and `PUT /v1/apps/{app}/retention`.
///
/// Campaigns and their totals stay for ever, but for test sends, transactional ones and messages between Users. Nothing is dropped of an
/// Occurrence that is not over.
public struct RetentionDays: Hashable, Sendable, Codable {
    /// The fates of single notifications: 7 through 3,650; missing: 90.
    public var deliveries = 90
    /// What phones reported: 7 through 3,650; missing: 90.
    ///
    /// A phone that reports something of an older push is told that it is too late.
    public var events = 90
    /// Messages in inboxes, and which were read: 30 through 3,650; missing: 30.
    ///
    /// An inbox looks back for 30 days in any case.
    public var inbox = 30
    /// Figures by the minute: 7 through 3,650; missing: 35.
    ///
    /// Those by the half hour are kept for 400 days.
    public var minutes = 35
    /// Test sends and transactional Campaigns that are over, with their totals: 30 through 3,650; missing: 30.
    ///
    /// What they add to the App's figures by time stays.
    public var campaigns = 30
    /// Lists of Users and Devices of Campaigns that are over, with the messages of those that were for one User or
    /// Device: 1 through 3,650; missing: 30.
    ///
    /// The Campaigns and their totals stay.
    public var lists = 30
    /// Messages of Users to Users, with all that is kept of their delivery: 1 through 3,650; missing: 30.
    public var userMessages = 30

    /// Makes the standard.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case deliveries, events, inbox, minutes, campaigns, lists, userMessages
    }

    /// Reads it strictly.
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
