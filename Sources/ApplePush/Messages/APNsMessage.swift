/// A message of one push type: the headers that Apple wants of it, and its payload.
///
/// One type for each push type permits what Apple documents of it and nothing else: ``AlertMessage``,
/// ``BackgroundMessage``, ``VoIPMessage``, ``LiveActivityUpdate`` and so on. ``RawMessage`` takes any JSON, for push types
/// that Apple adds.
public protocol APNsMessage: Hashable, Sendable {
    /// The value of `apns-push-type`.
    var pushType: APNsPushType { get }
    /// The value of `apns-priority`; `nil` leaves the header out, which Apple reads as 10.
    var priority: Priority? { get }
    /// The value of `apns-expiration`; `nil` leaves the header out, and APNs stores the notification up to 30 days.
    var expiration: Expiration? { get }
    /// The value of `apns-collapse-id`; `nil` for none.
    var collapseID: CollapseID? { get }
    /// The whole payload.
    var payload: PayloadObject { get }
}

extension APNsMessage {
    /// No collapse id: only some types have a use for one.
    public var collapseID: CollapseID? { nil }

    /// Encodes the message for a topic as it is, for instance one that a client certificate prescribes.
    ///
    /// - Parameter topic: Whom the notifications address.
    /// - Returns: Headers and payload, good for any number of devices.
    /// - Throws: `EncodedPayload.Problem` when the payload is over its limit or has more than one slot.
    public func request(topic: Topic) throws(EncodedPayload.Problem) -> PushRequest {
        PushRequest(
            headers: RequestHeaders(
                topic: topic,
                pushType: pushType,
                priority: priority,
                expiration: expiration,
                collapseID: collapseID
            ),
            payload: try EncodedPayload(payload, limit: pushType.payloadLimit)
        )
    }
}

/// A message whose topic follows from the app's bundle id: all but MDM's.
public protocol AppMessage: APNsMessage {}

extension AppMessage {
    /// Encodes the message for an app; its push type adds the suffix to the topic.
    ///
    /// - Parameter bundleID: The app.
    /// - Returns: Headers and payload, good for any number of devices.
    /// - Throws: `EncodedPayload.Problem` when the payload is over its limit or has more than one slot.
    public func request(for bundleID: BundleID) throws(EncodedPayload.Problem) -> PushRequest {
        try request(topic: Topic(bundleID, for: pushType))
    }
}

/// A message, encoded: what all requests of a batch have in common.
public struct PushRequest: Hashable, Sendable {
    /// The headers, but for `authorization` and `apns-id`.
    public var headers: RequestHeaders
    /// The payload.
    public var payload: EncodedPayload

    /// Pairs headers with a payload.
    ///
    /// - Parameters:
    ///   - headers: The headers.
    ///   - payload: The payload.
    public init(headers: RequestHeaders, payload: EncodedPayload) {
        self.headers = headers
        self.payload = payload
    }
}
