public import CarillonModel

/// A number: integers are exact from −2⁶³ through 2⁶³ − 1, others are 64-bit floating point.
public struct AudienceNumber: Hashable, Sendable {
    /// The number, if it is an integer in range.
    public let whole: Int64?
    /// The number, or the nearest `Double`.
    public let value: Double

    /// Creates an integer.
    public init(_ whole: Int64) {
        self.whole = whole
        value = Double(whole)
    }

    /// Creates a number; `nil` unless it is finite.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        whole = Int64(exactly: value)
        // Replaces −0, which JSON encodes as 0.
        self.value = value + 0
    }
}

/// A version to compare with: one through four numbers with dots, such as `2.10.3`.
///
/// Missing numbers count as 0, so that `2.10` equals `2.10.0`.
public struct AudienceVersion: Hashable, Sendable, CustomStringConvertible {
    /// Maximum number of significant numbers.
    public static let maximumCount = 4
    /// Maximum number of significant digits of each number.
    public static let maximumDigits = 18

    /// The numbers, each 0 through 10¹⁸ − 1.
    public let numbers: [Int64]

    /// Creates a version; `nil` unless there are one through four numbers, each 0 through 10¹⁸ − 1.
    public init?(numbers: [Int64]) {
        guard (1...Self.maximumCount).contains(numbers.count),
            numbers.allSatisfy({ (0..<1_000_000_000_000_000_000).contains($0) })
        else { return nil }
        self.numbers = numbers
    }

    /// Parses a text; `nil` for anything but one through four numbers with dots.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int64? in
            guard (1...Self.maximumDigits).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        guard numbers.count == parts.count else { return nil }
        self.init(numbers: numbers)
    }

    /// The numbers with dots between them.
    public var description: String { numbers.map(String.init).joined(separator: ".") }
}

/// A time, fixed or relative to the begin of the Occurrence.
public enum AudienceInstant: Hashable, Sendable {
    /// Seconds after the Occurrence's begin, before it when negative: `now`, `now-30d`.
    ///
    /// At most ``maximumSeconds`` away from it.
    case now(seconds: Int)
    /// A fixed one: `2026-11-21T08:44:00Z`.
    case at(Timestamp)

    /// Ten years of 365 days.
    public static let maximumSeconds = 3_650 * 86_400

    /// The absolute time.
    ///
    /// - Parameter now: When the Occurrence begins.
    /// - Returns: The time.
    public func timestamp(now: Timestamp) -> Timestamp {
        switch self {
        case .now(let seconds): Timestamp(rawValue: now.rawValue + 1_000 * Int64(seconds))
        case .at(let instant): instant
        }
    }
}

/// A circle on the earth, modelled as a sphere of 6,371,008.8 m radius.
public struct AudienceArea: Hashable, Sendable {
    /// Degrees north, −90 through 90.
    public let latitude: Double
    /// Degrees east, −180 through 180.
    public let longitude: Double
    /// Metres, 1 through ``maximumRadius``.
    public let radius: Int

    /// A quarter of the earth's circumference.
    public static let maximumRadius = 10_000_000

    /// Creates a circle; `nil` when a value is out of range.
    public init?(latitude: Double, longitude: Double, radius: Int) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude),
            (1...Self.maximumRadius).contains(radius)
        else { return nil }
        // Replaces −0, which JSON encodes as 0.
        self.latitude = latitude + 0
        self.longitude = longitude + 0
        self.radius = radius
    }
}

/// An event of an earlier Campaign of the App at a Device, in any of the Campaign's last 100 Occurrences.
public struct AudienceEvent: Hashable, Sendable {
    /// The kind of event.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The push service accepted the notification.
        case sent
        /// The phone reported it received.
        case received
        /// The person opened it.
        case opened
        /// The person chose one of its actions.
        case clicked
    }

    /// The kind of event.
    public let kind: Kind
    /// The Campaign.
    public let campaign: CampaignID
    /// The action's key, 1 through 64 characters; any when missing, and only with `clicked`.
    public let action: String?

    /// Creates an event; `nil` for an action without `clicked`.
    public init?(_ kind: Kind, campaign: CampaignID, action: String? = nil) {
        guard action == nil || kind == .clicked else { return nil }
        self.kind = kind
        self.campaign = campaign
        self.action = action
    }
}
