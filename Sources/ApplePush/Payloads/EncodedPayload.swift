import CarillonBytes

/// A payload as bytes, ready for any number of requests.
///
/// Where it has a slot, those bytes differ from notification to notification, and all others are the same: nothing is
/// encoded a second time.
public struct EncodedPayload: Hashable, Sendable {
    /// Why a payload cannot be sent.
    public enum Problem: Error, Hashable, Sendable {
        /// More bytes than its push type may have.
        case tooLarge(bytes: Int, limit: Int)
        /// APNs refuses an empty body.
        case empty
        /// More than one slot.
        case severalSlots
        /// The slot does not lie inside the bytes.
        case badSlot
    }

    /// The JSON.
    public let bytes: [UInt8]
    /// The range of the bytes that differ between notifications; `nil` when there are none.
    public let slot: Range<Int>?

    /// Makes a payload of JSON that is encoded already, and does not parse it.
    ///
    /// - Parameters:
    ///   - bytes: The JSON.
    ///   - slot: Where each notification differs, or `nil`.
    ///   - limit: The maximum of bytes; see ``APNsPushType/payloadLimit``.
    /// - Throws: ``Problem``.
    public init(bytes: [UInt8], slot: Range<Int>? = nil, limit: Int) throws(Problem) {
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count, limit: limit) }
        if let slot {
            guard slot.lowerBound >= 0, slot.upperBound <= bytes.count, !slot.isEmpty else { throw .badSlot }
        }
        self.bytes = bytes
        self.slot = slot
    }

    /// Encodes a payload: no blanks, members in a fixed order, only what JSON demands escaped.
    ///
    /// - Parameters:
    ///   - payload: What to encode.
    ///   - limit: The maximum of bytes; see ``APNsPushType/payloadLimit``.
    /// - Throws: ``Problem``.
    public init(_ payload: Payload, limit: Int) throws(Problem) {
        try self.init(PayloadObject(payload.members), limit: limit)
    }

    /// Encodes any object, for payloads of which nothing else is known.
    ///
    /// - Parameters:
    ///   - object: What to encode.
    ///   - limit: The maximum of bytes; see ``APNsPushType/payloadLimit``.
    /// - Throws: ``Problem``.
    public init(_ object: PayloadObject, limit: Int) throws(Problem) {
        var writer = JSONWriter()
        writer.write(.object(object.members))
        guard writer.slots.count <= 1 else { throw .severalSlots }
        try self.init(bytes: writer.bytes, slot: writer.slots.first, limit: limit)
    }
}

/// Writes JSON and records where slots are.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var slots: [Range<Int>] = []

    mutating func write(_ value: PayloadValue) {
        switch value {
        case .null: put("null")
        case .bool(let bool): put(bool ? "true" : "false")
        case .integer(let integer): put(String(integer))
        case .number(let number): put(Self.text(of: number))
        case .string(let text): write(string: text)
        case .array(let values): write(list: values, "[", "]") { writer, value in writer.write(value) }
        case .object(let members):
            write(list: members, "{", "}") { writer, member in
                writer.write(string: member.key)
                writer.put(":")
                writer.write(member.value)
            }
        case .slot(let length):
            put("\"")
            slots.append(bytes.count..<bytes.count + length)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: length))
            put("\"")
        }
    }

    private mutating func write<Item>(
        list: [Item],
        _ open: String,
        _ close: String,
        _ writeItem: (inout JSONWriter, Item) -> Void
    ) {
        put(open)
        for (index, item) in list.enumerated() {
            if index > 0 { put(",") }
            writeItem(&self, item)
        }
        put(close)
    }

    private mutating func write(string: String) {
        put("\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): put("\\\"")
            case UInt8(ascii: "\\"): put("\\\\")
            case 0x0A: put("\\n")
            case 0x0D: put("\\r")
            case 0x09: put("\\t")
            case 0..<0x20:
                put("\\u00")
                bytes.append(Hexadecimal.digits[Int(byte >> 4)])
                bytes.append(Hexadecimal.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        put("\"")
    }

    private mutating func put(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// The shortest text that reads back as the same number; JSON has no infinities.
    private static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        if let whole = Int64(exactly: number) { return String(whole) }
        return String(number)
    }
}
