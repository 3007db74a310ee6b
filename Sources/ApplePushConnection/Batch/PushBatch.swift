public import ApplePush

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Notifications that share headers and a payload, in columns: there is no allocation per notification.
///
/// Each may have a payload of its own instead; those are two more columns.
///
/// The four columns are flat: concatenated token bytes, the end of each token, the bytes for the payload's slot, and
/// the ids. They hold any number of notifications; a few thousand at a time bound memory.
public struct PushBatch: Sendable {
    /// Why a batch is invalid.
    public enum Problem: Error, Hashable, Sendable {
        /// The columns have different lengths.
        case unequalColumns
        /// A token has no bytes or more than `APNsDeviceToken.lengths` allows.
        case badToken(index: Int)
        /// Slot bytes that JSON would have to escape.
        case badSlotBytes(index: Int)
        /// A notification's own payload is empty, or too large for its push type.
        case badPayload(index: Int)
    }

    /// The headers of every notification.
    public let headers: RequestHeaders
    /// The payload of every notification, without its slot; the longest one where each has its own.
    public let payload: EncodedPayload
    /// The concatenated payloads, where notifications have their own; else empty.
    public let payloads: [UInt8]
    /// The end of each payload in ``payloads``; empty when they share one.
    public let payloadEnds: [Int32]
    /// The concatenated bytes of the device tokens.
    public let tokens: [UInt8]
    /// The end of each token in ``tokens``; one per notification.
    public let tokenEnds: [Int32]
    /// The concatenated slot bytes of all notifications; empty without a slot.
    public let slots: [UInt8]
    /// The ids, sent as `apns-id`.
    ///
    /// A notification has the same id when it is sent again.
    public let ids: [UUID]

    /// Number of notifications.
    public var count: Int { ids.count }

    /// Creates a batch from columns, and checks that they are consistent.
    ///
    /// - Parameters:
    ///   - headers: The headers of every notification.
    ///   - payload: The payload of every notification.
    ///   - tokens: The concatenated bytes of the tokens.
    ///   - tokenEnds: The end of each token in `tokens`, ascending.
    ///   - slots: The bytes for the payload's slot, printable ASCII without quote and backslash.
    ///   - ids: The ids, all different.
    /// - Throws: ``Problem``.
    public init(
        headers: RequestHeaders,
        payload: EncodedPayload,
        tokens: [UInt8],
        tokenEnds: [Int32],
        slots: [UInt8] = [],
        ids: [UUID]
    ) throws(Problem) {
        let slotLength = payload.slot?.count ?? 0
        guard slots.count == slotLength * ids.count else { throw .unequalColumns }
        try Self.check(tokens, tokenEnds, count: ids.count)
        let bad = slots.firstIndex {
            !(0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
        }
        if let bad { throw .badSlotBytes(index: bad / slotLength) }
        self.headers = headers
        self.payload = payload
        self.tokens = tokens
        self.tokenEnds = tokenEnds
        self.slots = slots
        self.ids = ids
        payloads = []
        payloadEnds = []
    }

    /// Creates a batch of notifications with payloads of their own, and checks that the columns are consistent.
    ///
    /// - Parameters:
    ///   - headers: The headers of every notification.
    ///   - payloads: The concatenated payloads; their JSON is not checked.
    ///   - payloadEnds: The end of each payload in `payloads`, ascending.
    ///   - tokens: The concatenated bytes of the tokens.
    ///   - tokenEnds: The end of each token in `tokens`, ascending.
    ///   - ids: The ids, all different.
    /// - Throws: ``Problem``.
    public init(
        headers: RequestHeaders,
        payloads: [UInt8],
        payloadEnds: [Int32],
        tokens: [UInt8],
        tokenEnds: [Int32],
        ids: [UUID]
    ) throws(Problem) {
        guard payloadEnds.count == ids.count, Int(payloadEnds.last ?? 0) == payloads.count, !ids.isEmpty else {
            throw .unequalColumns
        }
        try Self.check(tokens, tokenEnds, count: ids.count)
        let limit = headers.pushType.payloadLimit
        var (start, longest): (Int32, Range<Int32>) = (0, 0..<0)
        for (index, end) in payloadEnds.enumerated() {
            guard end > start, Int(end - start) <= limit else { throw .badPayload(index: index) }
            if Int(end - start) > longest.count { longest = start..<end }
            start = end
        }
        let bytes = Array(payloads[Int(longest.lowerBound)..<Int(longest.upperBound)])
        guard let payload = try? EncodedPayload(bytes: bytes, limit: limit) else { throw .badPayload(index: 0) }
        self.headers = headers
        self.payload = payload
        self.payloads = payloads
        self.payloadEnds = payloadEnds
        self.tokens = tokens
        self.tokenEnds = tokenEnds
        self.ids = ids
        slots = []
    }

    private static func check(_ tokens: [UInt8], _ ends: [Int32], count: Int) throws(Problem) {
        guard ends.count == count, Int(ends.last ?? 0) == tokens.count else { throw .unequalColumns }
        var start: Int32 = 0
        for (index, end) in ends.enumerated() {
            guard end > start, APNsDeviceToken.lengths.contains(Int(end - start)) else { throw .badToken(index: index) }
            start = end
        }
    }
}
