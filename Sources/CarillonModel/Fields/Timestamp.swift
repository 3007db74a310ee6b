public import Foundation

/// An instant in milliseconds since 1970, written as RFC 3339 text in UTC: `2026-11-21T08:44:00.120Z`.
public struct Timestamp: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let rawValue: Int64

    /// Wraps milliseconds since 1970.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Rounds a date down to the millisecond.
    public init(_ date: Date) { rawValue = Int64((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    /// Parses RFC 3339 text with or without a fraction, with `Z` or an offset, from year 1970 through 9999; `nil` for
    /// anything else.
    public init?(_ text: String) {
        var text = text
        guard let milliseconds = text.withUTF8({ RFC3339.milliseconds($0) }) else { return nil }
        rawValue = milliseconds
    }

    /// Parses the bytes of such a text.
    package init?(utf8 text: ArraySlice<UInt8>) {
        guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
        rawValue = milliseconds
    }

    /// The same instant as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1000) }

    /// RFC 3339 text in UTC with milliseconds.
    public var description: String {
        String(unsafeUninitializedCapacity: RFC3339.length) { text in
            RFC3339.write(rawValue, into: text)
            return RFC3339.length
        }
    }

    /// Whether one instant is before another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Reads RFC 3339 text.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let timestamp = Timestamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be an RFC 3339 time from 1970 through 9999"
            )
        }
        self = timestamp
    }

    /// Writes RFC 3339 text in UTC with milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
