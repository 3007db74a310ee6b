import CarillonModel

/// How many notifications of a Campaign are over without being taken, for one reason: a row of
/// `GET /v1/campaigns/{campaign}/failures`.
public struct FailureCount: Hashable, Sendable, Codable {
    /// Why, in a word of Apple's or of ours, as `BadDeviceToken`.
    public var reason: String
    /// How they ended: `failed` or `expired`.
    public var outcome: Delivery.Outcome
    /// How many they are.
    public var count: Int

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - outcome: How they ended.
    ///   - count: How many they are.
    public init(reason: String, outcome: Delivery.Outcome, count: Int) {
        self.reason = reason
        self.outcome = outcome
        self.count = count
    }
}
