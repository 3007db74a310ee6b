public import ApplePush
import CarillonBytes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PushBatch {
    /// Creates a batch of one message for many devices.
    ///
    /// Batches of a few thousand devices bound memory.
    ///
    /// - Parameters:
    ///   - request: The encoded message; its payload has no slot.
    ///   - devices: The device tokens.
    ///   - ids: The ids, unique and one for each device; reuse them when notifications are sent again.
    /// - Throws: ``Problem``.
    public init(_ request: PushRequest, to devices: [APNsDeviceToken], ids: [UUID]) throws(Problem) {
        var tokens = ByteColumn()
        tokens.reserveCapacity(devices.count, byteCount: devices.count * 32)
        for device in devices { tokens.append(device.bytes) }
        try self.init(
            headers: request.headers,
            payload: request.payload,
            tokens: tokens,
            ids: ids
        )
    }
}
