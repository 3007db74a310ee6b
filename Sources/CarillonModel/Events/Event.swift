/// What the SDK reports back about one notification.
public struct Event: Hashable, Sendable, Codable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The service extension got the notification.
        case received
        /// The person tapped it.
        case opened
        /// The person threw it away.
        case dismissed
        /// The person pressed one of its buttons.
        case action
        /// The app was launched by it; counted apart from `opened`.
        case launched
    }

    /// Which push it was.
    public var occurrence: OccurrenceID
    /// Proof that the push came to this phone; it names the Device.
    public var receipt: Receipt
    /// What happened.
    public var kind: Kind
    /// When, by the phone's clock.
    public var at: Timestamp
    /// The pressed button's id, for `action`; 1 through 64 characters.
    public var action: String?
    /// The text that was typed, for a button of kind `reply`; 1 through 1,000 characters.
    public var reply: String?
    /// Where the phone was, if the App wants to know: degrees north, -90 through 90.
    public var latitude: Double?
    /// Where the phone was, if the App wants to know: degrees east, -180 through 180.
    public var longitude: Double?

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - occurrence: Which push it was.
    ///   - receipt: The push's receipt.
    ///   - at: When, by the phone's clock.
    public init(_ kind: Kind, occurrence: OccurrenceID, receipt: Receipt, at: Timestamp) {
        self.kind = kind
        self.occurrence = occurrence
        self.receipt = receipt
        self.at = at
    }
}

/// A short proof, inside every payload, that a push came to a phone: 24 characters of base64url.
///
/// It holds the server's number of the Device and a keyed hash of Occurrence and Device; only the server can make or
/// check one.
public struct Receipt: RawRepresentable, Hashable, Sendable, Codable {
    /// How many characters a receipt has.
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
/// Fields that the server does not know are ignored, so that a
/// newer SDK may talk to an older server.
public struct EventBatch: Hashable, Sendable, Codable {
    /// The most events in one batch.
    public static let maximumCount = 500

    /// The events.
    public var events: [Event]

    /// Makes a batch.
    ///
    /// - Parameter events: 1 through 500 events.
    public init(events: [Event]) { self.events = events }
}

/// What became of a batch of events.
public struct EventBatchAnswer: Hashable, Sendable, Codable {
    /// An event that was not taken, and never will be.
    public struct Rejection: Hashable, Sendable, Codable {
        /// Where the event stood in the batch, from 0.
        public var index: Int
        /// Why it was not taken.
        public var problem: String

        /// Makes a rejection.
        ///
        /// - Parameters:
        ///   - index: Where the event stood in the batch, from 0.
        ///   - problem: Why it was not taken.
        public init(index: Int, problem: String) {
            self.index = index
            self.problem = problem
        }
    }

    /// How many events count now that did not before.
    public var counted: Int
    /// How many were known already; they are not counted again.
    public var repeated: Int
    /// Those that were not taken.
    public var rejected: [Rejection]

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - counted: How many events count now that did not before.
    ///   - repeated: How many were known already.
    ///   - rejected: Those that were not taken.
    public init(counted: Int, repeated: Int, rejected: [Rejection]) {
        self.counted = counted
        self.repeated = repeated
        self.rejected = rejected
    }
}
