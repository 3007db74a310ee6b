/// A notification in the inbox of a Device or its User.
public struct InboxMessage: Hashable, Sendable, Codable {
    /// The notification's Occurrence.
    public var occurrence: OccurrenceID
    /// Its title, in the Device's language.
    public var title: String?
    /// Its text, in the Device's language.
    public var body: String?
    /// The link of a tap.
    public var link: String?
    /// Whether the link leads to a survey.
    public var isSurvey: Bool
    /// When it was sent, by the server's clock.
    public var sentAt: Timestamp
    /// Whether the person has read it.
    public var isRead: Bool

    /// Creates a message without content; set the other fields individually.
    ///
    /// - Parameters:
    ///   - occurrence: The notification's Occurrence.
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
    /// Maximum number of messages in an inbox.
    public static let maximumCount = 100

    /// The messages, at most 100, newest first.
    public var messages: [InboxMessage]
    /// Number of unread messages.
    public var unread: Int

    /// Creates an inbox and counts its unread messages.
    ///
    /// - Parameter messages: At most 100, newest first.
    public init(messages: [InboxMessage]) {
        self.messages = messages
        unread = messages.filter { !$0.isRead }.count
    }
}

/// The body of `POST /v1/devices/{device}/inbox/read`: the messages to mark as read.
public struct InboxReading: Hashable, Sendable, Codable {
    /// The messages, 1 through 100; missing when ``all``.
    public var occurrences: [OccurrenceID]?
    /// Whether to mark all messages.
    public var all: Bool

    /// Marks some messages as read.
    ///
    /// - Parameter occurrences: 1 through 100.
    public init(occurrences: [OccurrenceID]) {
        self.occurrences = occurrences
        all = false
    }

    /// Marks all messages as read.
    public static let everything: InboxReading = {
        var reading = InboxReading(occurrences: [])
        reading.occurrences = nil
        reading.all = true
        return reading
    }()

    enum CodingKeys: CodingKey {
        case occurrences, all
    }

    /// Decodes the body strictly.
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
    /// Number of unread messages.
    public var unread: Int

    /// Creates the answer.
    ///
    /// - Parameter unread: Number of unread messages.
    public init(unread: Int) { self.unread = unread }
}
