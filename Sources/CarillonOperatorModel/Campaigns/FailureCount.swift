import CarillonModel

/// The number of notifications of a Campaign that failed permanently for one reason: a row of `GET
/// /v1/campaigns/{campaign}/failures`.
public struct FailureCount: Hashable, Sendable, Codable {
    /// The reason, Apple's or the server's own, such as `BadDeviceToken`.
    public var reason: String
    /// The outcome: `failed` or `expired`.
    public var outcome: Delivery.Outcome
    /// Number of notifications.
    public var count: Int

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - outcome: The outcome.
    ///   - count: Number of notifications.
    public init(reason: String, outcome: Delivery.Outcome, count: Int) {
        self.reason = reason
        self.outcome = outcome
        self.count = count
    }
}
