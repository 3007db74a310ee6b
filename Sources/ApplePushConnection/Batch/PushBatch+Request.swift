public import ApplePush

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
        var tokens: [UInt8] = []
        var ends: [Int32] = []
        tokens.reserveCapacity(devices.count * 32)
        ends.reserveCapacity(devices.count)
        for device in devices {
            tokens += device.bytes
            ends.append(Int32(tokens.count))
        }
        try self.init(
            headers: request.headers,
            payload: request.payload,
            tokens: tokens,
            tokenEnds: ends,
            ids: ids
        )
    }
}
