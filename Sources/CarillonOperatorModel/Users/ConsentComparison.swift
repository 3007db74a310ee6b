public import CarillonModel

/// How the consents of a file's lines differ from those of the Devices with their tokens.
///
/// A Device that has one consent less and another one more is counted in both places.
public struct ConsentComparison: Hashable, Sendable, Codable {
    /// Devices with the consents of their lines.
    public var same = 0
    /// Imported Devices without a consent that their lines have.
    public var fewer = 0
    /// Imported Devices with a consent that their lines do not have.
    public var more = 0
    /// Devices that an app has registered, without a consent that their lines have.
    public var registeredFewer = 0
    /// Devices that an app has registered, with a consent that their lines do not have.
    public var registeredMore = 0

    /// Creates a comparison of no Devices.
    public init() {}

    /// Counts a Device.
    ///
    /// - Parameters:
    ///   - line: What the line says.
    ///   - stored: What the Device has.
    ///   - isRegistered: Whether an app has registered the Device.
    public mutating func compare(_ line: Consent, with stored: Consent, isRegistered: Bool) {
        let flags: [KeyPath<Consent, Bool>] = [\.notifications, \.ads, \.nightAds]
        let hasFewer = flags.contains { line[keyPath: $0] && !stored[keyPath: $0] }
        let hasMore = flags.contains { stored[keyPath: $0] && !line[keyPath: $0] }
        if !hasFewer, !hasMore { same += 1 }
        if hasFewer { if isRegistered { registeredFewer += 1 } else { fewer += 1 } }
        if hasMore { if isRegistered { registeredMore += 1 } else { more += 1 } }
    }

    /// The sums of two comparisons.
    ///
    /// - Parameter other: The other one.
    /// - Returns: The sums.
    public func adding(_ other: ConsentComparison) -> ConsentComparison {
        var sum = self
        sum.same += other.same
        sum.fewer += other.fewer
        sum.more += other.more
        sum.registeredFewer += other.registeredFewer
        sum.registeredMore += other.registeredMore
        return sum
    }
}
