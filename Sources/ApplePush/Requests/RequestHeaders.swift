/// The headers that the requests of one batch have in common, without the credentials.
public struct RequestHeaders: Hashable, Sendable {
    /// Whom the notifications address.
    ///
    /// Required, because with a provider token APNs has no default.
    public var topic: Topic
    /// What the notifications are for.
    public var pushType: APNsPushType
    /// How urgent they are; `nil` leaves the header out, which Apple reads as ``Priority/immediate``.
    public var priority: Priority?
    /// Until when APNs may deliver; `nil` leaves the header out, which means Apple's storage policy.
    public var expiration: Expiration?
    /// Which earlier notification they replace; `nil` for none.
    public var collapseID: CollapseID?

    /// Makes headers.
    ///
    /// - Parameters:
    ///   - topic: Whom the notifications address.
    ///   - pushType: What they are for.
    ///   - priority: How urgent they are, or `nil` for no header.
    ///   - expiration: Until when APNs may deliver, or `nil` for no header.
    ///   - collapseID: Which earlier notification they replace, or `nil`.
    public init(
        topic: Topic,
        pushType: APNsPushType,
        priority: Priority? = nil,
        expiration: Expiration? = nil,
        collapseID: CollapseID? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// The header fields in the order they are sent, without pseudo-headers, `authorization` and `apns-id`.
    package var fields: [(name: String, value: String)] {
        var fields = [("apns-topic", topic.rawValue), ("apns-push-type", pushType.rawValue)]
        if let priority { fields.append(("apns-priority", String(priority.rawValue))) }
        if let expiration { fields.append(("apns-expiration", String(expiration.seconds))) }
        if let collapseID { fields.append(("apns-collapse-id", collapseID.rawValue)) }
        return fields
    }
}
