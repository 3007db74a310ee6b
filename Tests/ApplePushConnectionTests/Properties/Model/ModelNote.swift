import ApplePush
import CarillonBytes
import Foundation
import NIOCore

@testable import ApplePushConnection

/// One notification of a model's run, and what ought to become of it.
struct ModelNote {
    let slice: Int
    let path: String
    let body: [UInt8]
    /// The stream that carries it now.
    var stream: UInt32?
    /// How many streams have carried it, and how many of them were refused.
    var streams = 0
    var refusals = 0
    /// The outcome that it must have; `nil` as long as it waits, which lets it be ``Outcome/notSent(_:)`` only.
    var expected: Outcome?
}

/// A slice of a model's run.
struct ModelSlice {
    let notes: Range<Int>
    let deadline: NIODeadline
    var isFinished = false
    var isAbandoned = false
}

/// Makes batches whose notifications can be told apart by their `apns-id`.
enum ModelBatch {
    static let token = ProviderToken(rawValue: String(repeating: "aB3.", count: 48), keyID: "K", issuedAt: .distantPast)
    static let otherToken = ProviderToken(
        rawValue: String(repeating: "Zy9-", count: 48),
        keyID: "L",
        issuedAt: .distantPast
    )

    static func id(_ note: Int) -> UUID {
        let low = UInt8(truncatingIfNeeded: note)
        let high = UInt8(truncatingIfNeeded: note >> 8)
        return UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, high, low))
    }

    static func idText(_ note: Int) -> String { id(note).uuidString }

    /// The note that an `apns-id` names.
    static func note(_ id: String) -> Int? {
        guard id.hasPrefix("01020304-0506-4708-890a-0b0c0d0e") else { return nil }
        return Int(id.suffix(4), radix: 16)
    }

    /// A batch of `count`, the first of which is the note `first`.
    static func make(_ first: Int, _ count: Int, bodyLength: Int, collapseID: String?) -> PushBatch? {
        let slot = bodyLength >= 12 ? 4..<12 : nil
        guard let topic = Topic(rawValue: "com.example.app"),
            let payload = try? EncodedPayload(
                bytes: Array(repeating: UInt8(ascii: "x"), count: bodyLength),
                slot: slot,
                limit: 1_000_000
            )
        else { return nil }
        var headers = RequestHeaders(topic: topic, pushType: .alert)
        headers.collapseID = collapseID.flatMap { CollapseID(rawValue: $0) }
        return try? PushBatch(
            headers: headers,
            payload: payload,
            tokens: ByteColumn((0..<count).map { token(first + $0) }),
            slots: slot == nil ? [] : (0..<count).flatMap { Self.slot(first + $0) },
            ids: (0..<count).map { id(first + $0) }
        )
    }

    static func path(_ note: Int) -> String {
        "/3/device/" + token(note).map { String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
    }

    static func body(_ note: Int, _ length: Int) -> [UInt8] {
        var bytes = Array(repeating: UInt8(ascii: "x"), count: length)
        if length >= 12 { bytes.replaceSubrange(4..<12, with: slot(note)) }
        return bytes
    }

    private static func token(_ note: Int) -> [UInt8] {
        (0..<(note.isMultiple(of: 5) ? 100 : 32)).map { UInt8(truncatingIfNeeded: note &* 31 &+ $0 &* 7) }
    }

    private static func slot(_ note: Int) -> [UInt8] {
        let text = String(note)
        return Array((String(repeating: "_", count: max(0, 8 - text.count)) + text).utf8.prefix(8))
    }
}
