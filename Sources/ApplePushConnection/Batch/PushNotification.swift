public import ApplePush

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One notification for one device.
///
/// Where many share a payload, ``PushBatch`` is the way: it costs a fraction of as many of these.
public struct PushNotification: Sendable {
    /// The headers, but for `apns-id`.
    public var headers: RequestHeaders
    /// The payload; it has no slot.
    public var payload: EncodedPayload
    /// To whom it goes.
    public var deviceToken: APNsDeviceToken
    /// The id, sent as `apns-id`; keep it when the notification is sent again.
    public var id: UUID

    /// Gathers a notification.
    ///
    /// - Parameters:
    ///   - payload: The payload, without a slot.
    ///   - deviceToken: To whom it goes.
    ///   - headers: The headers, but for `apns-id`.
    ///   - id: The id.
    public init(_ payload: EncodedPayload, to deviceToken: APNsDeviceToken, headers: RequestHeaders, id: UUID = UUID())
    {
        self.headers = headers
        self.payload = payload
        self.deviceToken = deviceToken
        self.id = id
    }

    /// A notification of an encoded message.
    ///
    /// - Parameters:
    ///   - request: Headers and payload, the latter without a slot.
    ///   - deviceToken: To whom it goes.
    ///   - id: The id.
    public init(_ request: PushRequest, to deviceToken: APNsDeviceToken, id: UUID = UUID()) {
        self.init(request.payload, to: deviceToken, headers: request.headers, id: id)
    }
}

extension PushBatch {
    /// A batch of one.
    init(_ notification: PushNotification) throws(Problem) {
        try self.init(
            headers: notification.headers,
            payload: notification.payload,
            tokens: notification.deviceToken.bytes,
            tokenEnds: [Int32(notification.deviceToken.bytes.count)],
            ids: [notification.id]
        )
    }
}
