public import ApplePush
import CarillonBytes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One notification for one device.
///
/// Where many share a payload, use ``PushBatch``, which costs a fraction of that.
public struct PushNotification: Sendable {
    /// The headers without `apns-id`.
    public var headers: RequestHeaders
    /// The payload, without a slot.
    public var payload: EncodedPayload
    /// To whom it goes.
    public var deviceToken: APNsDeviceToken
    /// The id, sent as `apns-id`; keep it when the notification is sent again.
    public var id: UUID

    /// Creates a notification.
    ///
    /// - Parameters:
    ///   - payload: The payload, without a slot.
    ///   - deviceToken: The device token.
    ///   - headers: The headers without `apns-id`.
    ///   - id: The id.
    public init(_ payload: EncodedPayload, to deviceToken: APNsDeviceToken, headers: RequestHeaders, id: UUID = UUID())
    {
        self.headers = headers
        self.payload = payload
        self.deviceToken = deviceToken
        self.id = id
    }

    /// Creates a notification from an encoded message.
    ///
    /// - Parameters:
    ///   - request: Headers and payload, without a slot.
    ///   - deviceToken: The device token.
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
            tokens: ByteColumn([notification.deviceToken.bytes]),
            ids: [notification.id]
        )
    }
}
