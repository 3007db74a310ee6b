/// Until when APNs may try to deliver: the value of `apns-expiration`.
///
/// ``nowOrNever`` is not the same as no header at all: without one, APNs stores the notification for up to 30 days.
public struct Expiration: RawRepresentable, Hashable, Sendable {
    /// Whole seconds since 1970.
    ///
    /// Zero means one attempt and no storage; a past instant means already expired.
    public let rawValue: Int64

    /// Takes seconds since 1970; a negative number counts as zero, because Apple refuses negative ones.
    ///
    /// - Parameter rawValue: Whole seconds since 1970.
    public init(rawValue: Int64) {
        self.rawValue = max(0, rawValue)
    }

    /// One attempt, nothing stored.
    public static let nowOrNever = Expiration(rawValue: 0)
}
