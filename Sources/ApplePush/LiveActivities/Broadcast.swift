/// One message of a Live Activity for all devices that subscribe to a channel.
///
/// It updates or ends activities; none starts them, because APNs takes no such broadcast.
/// Source: "Sending broadcast push notification requests to APNs".
public struct Broadcast: Hashable, Sendable {
    /// Why a broadcast cannot be sent.
    public enum Problem: Error, Hashable, Sendable {
        /// The event is `start`.
        case startsActivity
        /// The payload has too many bytes, or a slot.
        case payload(EncodedPayload.Problem)
    }

    /// The most bytes the payload of a broadcast may have.
    public static let payloadLimit = 5120

    /// The value of `apns-priority`, which a broadcast always states.
    public let priority: Priority
    /// The value of `apns-expiration`, which a broadcast always states.
    public let expiration: Expiration
    /// The payload.
    public let payload: EncodedPayload

    /// An update for all.
    ///
    /// - Parameters:
    ///   - update: The update. Its own expiration is not used.
    ///   - expiration: Until when APNs may deliver; a channel that stores nothing takes ``Expiration/nowOrNever`` only.
    /// - Throws: ``Problem/payload(_:)`` when the payload is over 5,120 bytes, or has a slot.
    public init(_ update: LiveActivityUpdate, expiration: Expiration) throws(Problem) {
        try self.init(raw: update.payload, priority: update.urgency.priority, expiration: expiration)
    }

    /// An end for all.
    ///
    /// - Parameters:
    ///   - end: The end. Its own expiration is not used.
    ///   - expiration: Until when APNs may deliver; a channel that stores nothing takes ``Expiration/nowOrNever`` only.
    /// - Throws: ``Problem/payload(_:)`` when the payload is over 5,120 bytes, or has a slot.
    public init(_ end: LiveActivityEnd, expiration: Expiration) throws(Problem) {
        try self.init(raw: end.payload, priority: end.urgency.priority, expiration: expiration)
    }

    /// Any payload but one that starts an activity.
    ///
    /// - Parameters:
    ///   - raw: The whole payload.
    ///   - priority: The priority.
    ///   - expiration: Until when APNs may deliver; a channel that stores nothing takes ``Expiration/nowOrNever`` only.
    /// - Throws: ``Problem``.
    public init(raw: PayloadObject, priority: Priority, expiration: Expiration) throws(Problem) {
        if case .object(let aps)? = raw["aps"], PayloadObject(aps)["event"] == "start" { throw .startsActivity }
        do {
            payload = try EncodedPayload(raw, limit: Self.payloadLimit)
        } catch {
            throw .payload(error)
        }
        // A slot is filled in for each device, and a broadcast knows no devices.
        guard payload.slot == nil else { throw .payload(.badSlot) }
        self.priority = priority
        self.expiration = expiration
    }
}
