#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Until when APNs may try to deliver: the value of `apns-expiration`.
///
/// ``nowOrNever`` is not the same as no header at all: without one, APNs stores the notification for up to 30 days.
public struct Expiration: RawRepresentable, Hashable, Sendable {
    /// Whole seconds since 1970.
    ///
    /// Zero means one attempt and no storage; a past instant means already expired.
    public let rawValue: Int64

    /// Makes an expiration of the header's value; a negative number counts as zero, because Apple refuses negative ones.
    ///
    /// - Parameter rawValue: Whole seconds since 1970.
    public init(rawValue: Int64) {
        self.rawValue = max(0, rawValue)
    }

    /// Makes an expiration of a date.
    ///
    /// - Parameter date: The last second in which APNs may deliver; before 1970 counts as zero.
    public init(_ date: Date) { self.init(rawValue: date.secondsSince1970) }

    /// One attempt, nothing stored.
    public static let nowOrNever = Expiration(rawValue: 0)
}
