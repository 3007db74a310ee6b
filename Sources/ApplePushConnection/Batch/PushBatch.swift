public import ApplePush
public import CarillonBytes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Notifications that share headers and a payload, in columns: there is no allocation per notification.
///
/// Each may have a payload of its own instead, in one more column.
///
/// The three columns are flat: the tokens, the bytes for the payload's slot, and the ids. They hold any number of
/// notifications; a few thousand at a time bound memory.
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
    /// The payloads, where notifications have their own; else empty.
    public let payloads: ByteColumn
    /// The bytes of the device tokens.
    public let tokens: ByteColumn
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
    ///   - tokens: The bytes of the tokens.
    ///   - slots: The bytes for the payload's slot, printable ASCII without quote and backslash.
    ///   - ids: The ids, all different.
    /// - Throws: ``Problem``.
    public init(
        headers: RequestHeaders,
        payload: EncodedPayload,
        tokens: ByteColumn,
        slots: [UInt8] = [],
        ids: [UUID]
    ) throws(Problem) {
        let slotLength = payload.slot?.count ?? 0
        guard slots.count == slotLength * ids.count else { throw .unequalColumns }
        try Self.check(tokens, count: ids.count)
        let bad = slots.firstIndex {
            !(0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
        }
        if let bad { throw .badSlotBytes(index: bad / slotLength) }
        self.headers = headers
        self.payload = payload
        self.tokens = tokens
        self.slots = slots
        self.ids = ids
        payloads = ByteColumn()
    }

    /// Creates a batch of notifications with payloads of their own, and checks that the columns are consistent.
    ///
    /// - Parameters:
    ///   - headers: The headers of every notification.
    ///   - payloads: The payloads; their JSON is not checked.
    ///   - tokens: The bytes of the tokens.
    ///   - ids: The ids, all different.
    /// - Throws: ``Problem``.
    public init(
        headers: RequestHeaders,
        payloads: ByteColumn,
        tokens: ByteColumn,
        ids: [UUID]
    ) throws(Problem) {
        guard payloads.count == ids.count, !ids.isEmpty else { throw .unequalColumns }
        try Self.check(tokens, count: ids.count)
        let limit = headers.pushType.payloadLimit
        if let bad = payloads.firstIndex(where: { $0.isEmpty || $0.count > limit }) { throw .badPayload(index: bad) }
        let bytes = Array(payloads.max { $0.count < $1.count } ?? [])
        guard let payload = try? EncodedPayload(bytes: bytes, limit: limit) else { throw .badPayload(index: 0) }
        self.headers = headers
        self.payload = payload
        self.payloads = payloads
        self.tokens = tokens
        self.ids = ids
        slots = []
    }

    private static func check(_ tokens: ByteColumn, count: Int) throws(Problem) {
        guard tokens.count == count else { throw .unequalColumns }
        let bad = tokens.indices.first { !APNsDeviceToken.lengths.contains(tokens.range(of: $0).count) }
        if let bad { throw .badToken(index: bad) }
    }
}
