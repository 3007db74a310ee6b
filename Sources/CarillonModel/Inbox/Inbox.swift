/// A notification that came to a Device or its User, as the inbox shows it.
public struct InboxMessage: Hashable, Sendable, Codable {
    /// Which push it was.
    public var occurrence: OccurrenceID
    /// Its title, in the Device's language.
    public var title: String?
    /// Its text, in the Device's language.
    public var body: String?
    /// Where a tap leads.
    public var link: String?
    /// Whether the link leads to a survey.
    public var isSurvey: Bool
    /// When it was sent, by the server's clock.
    public var sentAt: Timestamp
    /// Whether the person has read it.
    public var isRead: Bool

    /// Makes a message without content; the rest is set field by field.
    ///
    /// - Parameters:
    ///   - occurrence: Which push it was.
    ///   - sentAt: When it was sent.
    ///   - isRead: Whether the person has read it.
    public init(occurrence: OccurrenceID, sentAt: Timestamp, isRead: Bool) {
        self.occurrence = occurrence
        isSurvey = false
        self.sentAt = sentAt
        self.isRead = isRead
    }
}

/// The answer to `GET /v1/devices/{device}/inbox`.
public struct Inbox: Hashable, Sendable, Codable {
    /// The most messages of an inbox.
    public static let maximumCount = 100

    /// The messages, at most 100, newest first.
    public var messages: [InboxMessage]
    /// How many of them are not read.
    public var unread: Int

    /// Makes an inbox, whose unread messages are counted.
    ///
    /// - Parameter messages: At most 100, newest first.
    public init(messages: [InboxMessage]) {
        self.messages = messages
        unread = messages.filter { !$0.isRead }.count
    }
}

/// The body of `POST /v1/devices/{device}/inbox/read`: which messages are read, or that all are.
public struct InboxReading: Hashable, Sendable, Codable {
    /// The messages, 1 through 100; missing when ``all``.
    public var occurrences: [OccurrenceID]?
    /// Whether everything in the inbox is read.
    public var all: Bool

    /// Reads some messages.
    ///
    /// - Parameter occurrences: 1 through 100.
    public init(occurrences: [OccurrenceID]) {
        self.occurrences = occurrences
        all = false
    }

    /// Reads everything in the inbox.
    public static let everything: InboxReading = {
        var reading = InboxReading(occurrences: [])
        reading.occurrences = nil
        reading.all = true
        return reading
    }()

    enum CodingKeys: String, CodingKey, CaseIterable {
        case occurrences, all
    }

    /// Reads the body strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        occurrences = try fields.optional(.occurrences)
        all = try fields.optional(.all) ?? false
        guard (occurrences == nil) == all else {
            throw fields.failure(.occurrences, "is required, or all is true, and not both")
        }
        guard (1...Inbox.maximumCount).contains(occurrences?.count ?? 1) else {
            throw fields.failure(.occurrences, "must list 1 through \(Inbox.maximumCount)")
        }
    }
}

/// The answer to `POST /v1/devices/{device}/inbox/read`.
public struct InboxUnread: Hashable, Sendable, Codable {
    /// How many messages of the inbox are not read.
    public var unread: Int

    /// Makes the answer.
    ///
    /// - Parameter unread: How many messages of the inbox are not read.
    public init(unread: Int) { self.unread = unread }
}
