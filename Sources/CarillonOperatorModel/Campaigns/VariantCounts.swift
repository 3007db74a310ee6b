import CarillonModel

/// The counts of one variant of a Campaign.
public struct VariantCounts: Hashable, Sendable, Codable {
    /// The variant's name.
    public var name: String
    /// Devices that it was for and that were processed; those of the control group have no variant.
    public var targeted: Int
    /// Devices that a rule excluded.
    public var skipped: Int
    /// Notifications that APNs accepted.
    public var accepted: Int
    /// Notifications that failed permanently.
    public var failed: Int
    /// Devices whose service extension got it.
    public var received: Int
    /// Devices on which it was tapped.
    public var opened: Int
    /// Devices on which it was dismissed.
    public var dismissed: Int
    /// Devices on which a button was pressed.
    public var actions: Int
    /// Devices on which a reply was sent.
    public var replies: Int
    /// Devices on which it launched the app.
    public var launched: Int
    /// The share of accepted notifications that were opened, 0 through 1; missing when none was accepted.
    public var openRate: Double?
    /// The lower bound of the true rate at 95 % confidence (Wilson's interval).
    public var openRateLow: Double?
    /// The upper bound.
    public var openRateHigh: Double?

    /// Creates counts of zeros.
    ///
    /// - Parameter name: The variant's name.
    public init(name: String) {
        self.name = name
        targeted = 0
        skipped = 0
        accepted = 0
        failed = 0
        received = 0
        opened = 0
        dismissed = 0
        actions = 0
        replies = 0
        launched = 0
    }
}

extension VariantCounts {
    /// Computes the rates from the counts.
    package mutating func rate() {
        guard accepted > 0 else { return }
        // An event may arrive before its notification's outcome is committed.
        let (count, hits) = (Double(accepted), Double(min(opened, accepted)))
        let share = hits / count
        let z = 1.959_964
        let middle = (share + z * z / (2 * count)) / (1 + z * z / count)
        let half = z / (1 + z * z / count) * (share * (1 - share) / count + z * z / (4 * count * count)).squareRoot()
        openRate = share
        openRateLow = max(0, middle - half)
        openRateHigh = min(1, middle + half)
    }
}

extension [VariantCounts] {
    /// Accepted notifications that each variant needs before one can win.
    ///
    /// A funnel is looked at again and again while opens arrive: at fewer, chance alone makes the intervals part for a
    /// moment too often.
    package static var leastAccepted: Int { 100 }

    /// The variant that was opened significantly more often than every other: its interval is above all of theirs.
    package var winner: String? {
        guard count > 1, allSatisfy({ $0.accepted >= Self.leastAccepted }) else { return nil }
        return first { candidate in
            guard let low = candidate.openRateLow else { return false }
            return allSatisfy { other in
                guard other.name != candidate.name else { return true }
                return other.openRateHigh.map { $0 < low } ?? false
            }
        }?.name
    }
}
