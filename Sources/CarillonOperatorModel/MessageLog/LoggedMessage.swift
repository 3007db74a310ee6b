public import CarillonModel

/// The history of one notification: a row of `GET /v1/message-log`.
public struct LoggedMessage: Hashable, Sendable, Codable {
    /// A button or another action that was used.
    public struct Action: Hashable, Sendable, Codable {
        /// The action's key.
        public var action: String
        /// The time, by the phone's clock.
        public var at: Timestamp

        /// Creates an action.
        ///
        /// - Parameters:
        ///   - action: Its key.
        ///   - at: The time.
        public init(action: String, at: Timestamp) {
            self.action = action
            self.at = at
        }
    }

    /// The Campaign; `GET /v1/campaigns/{campaign}` returns its message.
    public var campaign: CampaignID
    /// The Campaign's Occurrence.
    public var occurrence: OccurrenceID
    /// The Device; missing once the Device was deleted.
    public var device: DeviceID?
    /// The push type of the token that was used.
    public var pushType: PushType
    /// The outcome.
    public var outcome: Delivery.Outcome
    /// The reason, unless it was accepted.
    public var reason: String?
    /// The time of the outcome.
    public var at: Timestamp
    /// When the phone received it, by the phone's clock; missing while nothing was reported.
    public var receivedAt: Timestamp?
    /// When the person tapped it.
    public var openedAt: Timestamp?
    /// When the person dismissed it.
    public var dismissedAt: Timestamp?
    /// When it launched the app.
    public var launchedAt: Timestamp?
    /// Its actions by time, at most 16; missing when there are none.
    public var actions: [Action]?

    /// Creates a row without events.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - occurrence: Its Occurrence.
    ///   - delivery: The delivery.
    public init(campaign: CampaignID, occurrence: OccurrenceID, delivery: Delivery) {
        self.campaign = campaign
        self.occurrence = occurrence
        device = delivery.device
        pushType = delivery.pushType
        outcome = delivery.outcome
        reason = delivery.reason
        at = delivery.at
    }
}
