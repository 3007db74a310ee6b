import CarillonModel
import CarillonOperatorModel

/// A payload split into the parts that all Devices of an edition share, and the slots in between.
///
/// It is split once. Filling it copies bytes; only the values are encoded as JSON again.
package struct PersonalTemplate: Hashable, Sendable {
    /// Why a Device gets no payload.
    package enum Refusal: Error, Hashable, Sendable {
        /// It has no value for a slot without a default.
        case missingValue
        /// Its values make the payload larger than the limit of the push service or App.
        case tooLarge
    }

    /// A slot: the value, and how it is encoded.
    struct Slot: Hashable, Sendable {
        /// The index of the field.
        var field: Int
        var place: PersonalText.Place
        var isLink: Bool
        /// The encoded default.
        var fallback: [UInt8]?
        /// What is added to the value, which is a number then; `nil` for texts.
        var adding: Int?

        /// The largest number of bytes it takes.
        var longestCount: Int {
            if adding != nil { return place.field.maximumLength }
            // Five bytes per character, four of UTF-8 and one of an escape; in a link twelve, three per byte.
            let characters = min(place.maximum ?? .max, place.field.maximumLength)
            return max(characters * (isLink ? 12 : 5), fallback?.count ?? 0)
        }
    }

    private enum Piece: Hashable, Sendable {
        case bytes([UInt8])
        case slot(Slot)
    }

    /// Maximum bytes of a payload.
    let limit: Int
    private var pieces: [Piece] = []
    /// The part with the receipt, and the receipt's offset in it.
    private var receipt: (piece: Int, offset: Int) = (0, 0)
    /// The bytes that all payloads of the edition share.
    package private(set) var fixedCount = 0

    /// Splits a rendering at its slot marks.
    ///
    /// - Parameters:
    ///   - bytes: The payload with a mark for each slot.
    ///   - receiptOffset: The receipt's offset in it.
    ///   - slots: The slots of the marks.
    ///   - limit: Maximum bytes of a payload.
    init(_ bytes: [UInt8], receiptOffset: Int, slots: [Slot], limit: Int) {
        self.limit = limit
        var start = 0
        func literal(_ end: Int) -> [UInt8] { Array(bytes[start..<max(start, end)]) }
        var position = 0
        while position < bytes.count {
            guard let slot = SlotMark.index(in: bytes, at: position), slot < slots.count,
                slots[slot].adding == nil || Self.isBadge(bytes, at: position)
            else {
                position += 1
                continue
            }
            // A number stands without the quotes that the mark has.
            let quote = slots[slot].adding == nil ? 0 : 1
            append(literal(position - quote), from: start, receiptOffset)
            pieces.append(.slot(slots[slot]))
            position += SlotMark.length + quote
            start = position
        }
        append(literal(bytes.count), from: start, receiptOffset)
    }

    /// Whether the value of a member `badge` begins at an index: in a text its quotes would be escaped.
    private static func isBadge(_ bytes: [UInt8], at place: Int) -> Bool {
        let name = Array(#""badge":""#.utf8)
        return place >= name.count && bytes[place - name.count..<place].elementsEqual(name)
    }

    private mutating func append(_ bytes: [UInt8], from start: Int, _ receiptOffset: Int) {
        guard !bytes.isEmpty else { return }
        if (start..<start + bytes.count).contains(receiptOffset) {
            receipt = (pieces.count, receiptOffset - start)
        }
        fixedCount += bytes.count
        pieces.append(.bytes(bytes))
    }

    /// The maximum size of a payload in bytes.
    package var longestCount: Int {
        pieces.reduce(fixedCount) { count, piece in
            guard case .slot(let slot) = piece else { return count }
            return count + slot.longestCount
        }
    }

    /// The minimum size of a payload in bytes.
    package var shortestCount: Int {
        pieces.reduce(fixedCount) { count, piece in
            guard case .slot(let slot) = piece else { return count }
            // A number grows: what is accepted has room for the longest.
            return count + (slot.adding == nil ? min(1, slot.fallback?.count ?? 1) : slot.longestCount)
        }
    }

    /// The payload with the names of its fields in the slots, for display.
    package var preview: String {
        let bytes = pieces.reduce(into: [UInt8]()) { bytes, piece in
            switch piece {
            case .bytes(let literal): bytes += literal
            case .slot(let slot): bytes += slot.adding.map { "\($0)" }?.utf8 ?? "{{\(slot.place.field.name)}}".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a Device's payload to a buffer, its receipt as zeros.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - values: The values of all Devices.
    ///   - bytes: The buffer; unchanged when it throws.
    /// - Returns: The receipt's offset in `bytes`.
    /// - Throws: ``Refusal``.
    package func write(
        _ device: DeviceNumber,
        _ values: PersonalValues,
        into bytes: inout [UInt8]
    ) throws(Refusal) -> Int {
        try write(device, values, upTo: limit, into: &bytes)
    }

    /// The same with another limit, so that one sees how much too large a payload is.
    package func write(
        _ device: DeviceNumber,
        _ values: PersonalValues,
        upTo limit: Int,
        into bytes: inout [UInt8]
    ) throws(Refusal) -> Int {
        let start = bytes.count
        var receiptOffset = start
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .bytes(let literal):
                if index == receipt.piece { receiptOffset = bytes.count + receipt.offset }
                bytes.append(contentsOf: literal)
            case .slot(let slot):
                if let value = values.value(at: slot.field, of: device) {
                    slot.write(value, into: &bytes)
                } else if let fallback = slot.fallback {
                    bytes.append(contentsOf: fallback)
                } else {
                    bytes.removeSubrange(start...)
                    throw .missingValue
                }
            }
        }
        guard bytes.count - start <= limit else {
            bytes.removeSubrange(start...)
            throw .tooLarge
        }
        return receiptOffset
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.limit == rhs.limit && lhs.pieces == rhs.pieces && lhs.receipt == rhs.receipt
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(pieces)
        hasher.combine(limit)
    }
}

extension PersonalTemplate.Slot {
    init(field: Int, place: PersonalText.Place, isLink: Bool) {
        self.init(field: field, place: place, isLink: isLink, fallback: nil)
        if let text = place.fallback {
            var bytes: [UInt8] = []
            encode(text.utf8, into: &bytes)
            fallback = bytes
        }
    }

    /// A slot for a number that grows.
    init(field: Int, adding step: Int) {
        self.init(field: field, place: PersonalText.Place(field: .badge), isLink: false, fallback: nil)
        adding = step
        fallback = Array("\(step)".utf8)
    }

    func write(_ value: ArraySlice<UInt8>, into bytes: inout [UInt8]) {
        if let adding {
            let sum = value.reduce(0) { 10 * $0 + Int($1 & 15) } + adding
            bytes.append(contentsOf: String(min(sum, Badge.counts.upperBound)).utf8)
        } else if let maximum = place.maximum, value.count > maximum {
            encode(place.cut(String(decoding: value, as: UTF8.self)).utf8, into: &bytes)
        } else {
            encode(value, into: &bytes)
        }
    }

    /// Encodes a text as part of a JSON string, percent-encoded inside a link.
    private func encode(_ text: some Sequence<UInt8>, into bytes: inout [UInt8]) {
        for byte in text {
            if isLink { byte.appendPercentEncoded(to: &bytes) } else { byte.appendEscaped(to: &bytes) }
        }
    }
}

extension UInt8 {
    /// Appends the byte, escaped as RFC 8259 requires in a string.
    fileprivate func appendEscaped(to bytes: inout [UInt8]) {
        let digits: StaticString = "0123456789abcdef"
        switch self {
        case UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
        case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "\\")]
        case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
        case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
        case 0..<0x20:
            bytes += "\\u00".utf8
            bytes.append(digits.utf8Start[Int(self >> 4)])
            bytes.append(digits.utf8Start[Int(self & 15)])
        default: bytes.append(self)
        }
    }
}

/// The mark of a slot in a text while it is rendered: two private-use characters, which have no meaning to a phone,
/// around two letters.
enum SlotMark {
    /// In UTF-8.
    static let length = 10
    /// Maximum number of marks in a payload.
    static let capacity = 64

    static func text(_ index: Int) -> String {
        let letters = [UInt8(ascii: "a") + UInt8(index / 26), UInt8(ascii: "a") + UInt8(index % 26)]
        return "\u{10FFF0}" + String(decoding: letters, as: UTF8.self) + "\u{10FFF1}"
    }

    /// The slot whose mark begins at an index; `nil` when none does.
    static func index(in bytes: [UInt8], at place: Int) -> Int? {
        guard place + length <= bytes.count, bytes[place] == 0xF4, bytes[place + 1] == 0x8F,
            bytes[place + 2] == 0xBF, bytes[place + 3] == 0xB0, bytes[place + 6] == 0xF4, bytes[place + 7] == 0x8F,
            bytes[place + 8] == 0xBF, bytes[place + 9] == 0xB1
        else { return nil }
        let (high, low) = (Int(bytes[place + 4]) - 0x61, Int(bytes[place + 5]) - 0x61)
        guard (0..<26).contains(high), (0..<26).contains(low) else { return nil }
        return high * 26 + low
    }

    /// Returns a text without the characters of marks.
    static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "\u{10FFF0}" || $0 == "\u{10FFF1}" }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{10FFF0}" && $0 != "\u{10FFF1}" }))
    }
}
