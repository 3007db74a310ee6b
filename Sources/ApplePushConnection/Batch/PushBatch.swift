public import ApplePush

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Notifications that share headers and a payload, in columns: nothing is allocated for a single one of them.
///
/// Each may have a payload of its own instead; those are two more columns.
///
/// The four columns are flat: token bytes one after another, the end of each token, the bytes for the payload's slot, and
/// the ids. They hold any number of notifications; a few thousand at a time keep memory flat.
public struct PushBatch: Sendable {
    /// Why a batch cannot be sent.
    public enum Problem: Error, Hashable, Sendable {
        /// The columns have different lengths.
        case unequalColumns
        /// A token has no bytes or more than `APNsDeviceToken.lengths` allows.
        case badToken(index: Int)
        /// Bytes for the slot that JSON would have to escape.
        case badSlotBytes(index: Int)
        /// A payload of a notification's own is empty, or larger than its push type may have.
        case badPayload(index: Int)
    }

    /// The headers of every notification.
    public let headers: RequestHeaders
    /// The payload of every notification, but for its slot; the longest one where each has its own.
    public let payload: EncodedPayload
    /// Where notifications have payloads of their own: these, one after another; else empty.
    public let payloads: [UInt8]
    /// Where each notification's own payload ends in ``payloads``; empty when they share one.
    public let payloadEnds: [Int32]
    /// The device tokens' bytes, one after another.
    public let tokens: [UInt8]
    /// Where each token ends in ``tokens``; as many as there are notifications.
    public let tokenEnds: [Int32]
    /// What goes into the payload's slot, as many bytes as it has for each notification; empty without a slot.
    public let slots: [UInt8]
    /// The ids, sent as `apns-id`.
    ///
    /// A notification keeps its id when it is sent again.
    public let ids: [UUID]

    /// How many notifications there are.
    public var count: Int { ids.count }

    /// Puts the columns together and checks them against each other.
    ///
    /// - Parameters:
    ///   - headers: The headers of every notification.
    ///   - payload: The payload of every notification.
    ///   - tokens: The tokens' bytes, one after another.
    ///   - tokenEnds: Where each token ends in `tokens`, rising.
    ///   - slots: The bytes for the payload's slot, printable ASCII without quote and backslash.
    ///   - ids: The ids, each used once.
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

    /// Puts the columns of notifications together that have payloads of their own, and checks them against each other.
    ///
    /// - Parameters:
    ///   - headers: The headers of every notification.
    ///   - payloads: The payloads, JSON that is not looked into, one after another.
    ///   - payloadEnds: Where each payload ends in `payloads`, rising.
    ///   - tokens: The tokens' bytes, one after another.
    ///   - tokenEnds: Where each token ends in `tokens`, rising.
    ///   - ids: The ids, each used once.
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
