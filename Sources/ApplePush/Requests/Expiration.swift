#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Until when APNs may try to deliver: the value of `apns-expiration`.
///
/// ``nowOrNever`` is not the same as no header at all: without one, APNs stores the notification for up to 30 days.
public struct Expiration: Hashable, Sendable {
    /// The header's value: whole seconds since 1970.
    ///
    /// Zero means one attempt and no storage; a past instant means already expired.
    package let seconds: Int64

    /// Makes an expiration of the header's value; a negative number counts as zero, because Apple refuses negative ones.
    package init(seconds: Int64) {
        self.seconds = max(0, seconds)
    }

    /// Makes an expiration of a date.
    ///
    /// - Parameter date: The last second in which APNs may deliver; before 1970 counts as ``nowOrNever``. A past date
    ///   means already expired.
    public init(_ date: Date) { self.init(seconds: date.secondsSince1970) }

    /// The last second in which APNs may deliver; `nil` for ``nowOrNever``.
    public var date: Date? { seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)) }

    /// One attempt, nothing stored.
    public static let nowOrNever = Expiration(seconds: 0)
}
