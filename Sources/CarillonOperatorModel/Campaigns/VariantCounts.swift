import CarillonModel

/// What became of one variant of a Campaign.
public struct VariantCounts: Hashable, Sendable, Codable {
    /// The variant's name.
    public var name: String
    /// Devices that it was for and that were looked at; those that were held out are for none.
    public var targeted: Int
    /// Devices that did not get it by a rule.
    public var skipped: Int
    /// Notifications that Apple took.
    public var accepted: Int
    /// Notifications that are over without being taken.
    public var failed: Int
    /// Devices whose service extension got it.
    public var received: Int
    /// Devices on which it was tapped.
    public var opened: Int
    /// Devices on which it was thrown away.
    public var dismissed: Int
    /// Devices on which a button was pressed.
    public var actions: Int
    /// Devices on which a text was typed.
    public var replies: Int
    /// Devices on which it launched the app.
    public var launched: Int
    /// How many of those that Apple took were tapped, 0 through 1; missing when Apple took none.
    public var openRate: Double?
    /// The lower end of where the true rate lies in nineteen of twenty such trials (Wilson's interval).
    public var openRateLow: Double?
    /// The upper end of that.
    public var openRateHigh: Double?

    /// Makes figures in which nothing has happened.
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
    /// Works out the rates from the counts.
    package mutating func rate() {
        guard accepted > 0 else { return }
        // An event may come before its notification's outcome is kept.
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
    /// The variant that was tapped more often than every other beyond chance: its interval lies above all of theirs.
    package var winner: String? {
        first { candidate in
            guard let low = candidate.openRateLow, count > 1 else { return false }
            return allSatisfy { other in
                guard other.name != candidate.name else { return true }
                return other.openRateHigh.map { $0 < low } ?? false
            }
        }?.name
    }
}
