/// An event of a notification that the SDK reports.
public struct Event: Hashable, Sendable, Codable {
    /// The kind of event.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The service extension got the notification.
        case received
        /// The person tapped it.
        case opened
        /// The person dismissed it.
        case dismissed
        /// The person pressed one of its buttons.
        case action
        /// It launched the app; counted separately from `opened`.
        case launched
    }

    /// The notification's Occurrence.
    public var occurrence: OccurrenceID
    /// Proof that the push was sent to this phone; identifies the Device.
    public var receipt: Receipt
    /// The kind of event.
    public var kind: Kind
    /// The time, by the phone's clock.
    public var at: Timestamp
    /// The pressed button's id, for `action`; 1 through 64 characters.
    public var action: String?
    /// The text of the reply, for a button of kind `reply`; 1 through 1,000 characters.
    public var reply: String?
    /// The phone's latitude, if the App uses it: degrees north, -90 through 90.
    public var latitude: Double?
    /// The phone's longitude, if the App uses it: degrees east, -180 through 180.
    public var longitude: Double?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
    ///   - occurrence: The notification's Occurrence.
    ///   - receipt: The push's receipt.
    ///   - at: The time, by the phone's clock.
    public init(_ kind: Kind, occurrence: OccurrenceID, receipt: Receipt, at: Timestamp) {
        self.kind = kind
        self.occurrence = occurrence
        self.receipt = receipt
        self.at = at
    }
}

/// A proof, in every payload, that a push was sent to a phone: 24 characters of base64url.
///
/// It contains the Device's number and a keyed hash of Occurrence and Device; only the server can create or verify one.
public struct Receipt: RawRepresentable, Hashable, Sendable, Codable {
    /// Length of a receipt in characters.
    public static let length = 24

    /// The text.
    public let rawValue: String

    /// Wraps a text; `nil` unless it is 24 characters of base64url.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == Self.length, rawValue.utf8.allSatisfy(Self.isBase64URL) else { return nil }
        self.rawValue = rawValue
    }

    /// Reads the text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` unless it is 24 characters of base64url.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let receipt = Receipt(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be \(Self.length) characters of base64url"
            )
        }
        self = receipt
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    private static func isBase64URL(_ character: UInt8) -> Bool {
        switch character {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

/// The body of `POST /v1/events`: 1 through 500 events.
///
/// Unknown fields are ignored, so that a newer SDK works with an older server.
public struct EventBatch: Hashable, Sendable, Codable {
    /// Maximum number of events in one batch.
    public static let maximumCount = 500

    /// The events.
    public var events: [Event]

    /// Creates a batch.
    ///
    /// - Parameter events: 1 through 500 events.
    public init(events: [Event]) { self.events = events }
}

/// The result of a batch of events.
public struct EventBatchAnswer: Hashable, Sendable, Codable {
    /// An event that was rejected permanently.
    public struct Rejection: Hashable, Sendable, Codable {
        /// The event's position in the batch, from 0.
        public var index: Int
        /// Why it was rejected.
        public var problem: String

        /// Creates a rejection.
        ///
        /// - Parameters:
        ///   - index: The event's position in the batch, from 0.
        ///   - problem: Why it was rejected.
        public init(index: Int, problem: String) {
            self.index = index
            self.problem = problem
        }
    }

    /// Number of newly counted events.
    public var counted: Int
    /// Number of events that were counted before.
    public var repeated: Int
    /// The rejected events.
    public var rejected: [Rejection]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - counted: Number of newly counted events.
    ///   - repeated: Number of events that were counted before.
    ///   - rejected: The rejected events.
    public init(counted: Int, repeated: Int, rejected: [Rejection]) {
        self.counted = counted
        self.repeated = repeated
        self.rejected = rejected
    }
}
