public import CarillonModel

/// What became of one notification, from the sending to what the person did: a row of `GET /v1/message-log`.
public struct LoggedMessage: Hashable, Sendable, Codable {
    /// A button or another action that was taken.
    public struct Action: Hashable, Sendable, Codable {
        /// The action's key.
        public var action: String
        /// When, by the phone's clock.
        public var at: Timestamp

        /// Makes an action.
        ///
        /// - Parameters:
        ///   - action: Its key.
        ///   - at: When it was taken.
        public init(action: String, at: Timestamp) {
            self.action = action
            self.at = at
        }
    }

    /// The Campaign; its message is asked for by `GET /v1/campaigns/{campaign}`.
    public var campaign: CampaignID
    /// Which of the Campaign's firings it was.
    public var occurrence: OccurrenceID
    /// The Device; missing once the Device was deleted.
    public var device: DeviceID?
    /// The push type of the token that was used.
    public var pushType: PushType
    /// How it ended at the push service, or before.
    public var outcome: Delivery.Outcome
    /// Why, unless it was accepted.
    public var reason: String?
    /// When that was.
    public var at: Timestamp
    /// When the phone got it, by the phone's clock; missing while nothing was reported.
    public var receivedAt: Timestamp?
    /// When the person tapped it.
    public var openedAt: Timestamp?
    /// When the person threw it away.
    public var dismissedAt: Timestamp?
    /// When it launched the app.
    public var launchedAt: Timestamp?
    /// What was taken of its actions, in the order of time; missing when there is none, at most 16.
    public var actions: [Action]?

    /// Makes a row of which nothing was reported yet.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - occurrence: Which of its firings.
    ///   - delivery: What became of it at the push service.
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
