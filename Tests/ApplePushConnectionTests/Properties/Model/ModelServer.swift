import NIOCore
import NIOHPACK

@testable import ApplePushConnection

/// Makes a server's moves, sensible, odd and wrong ones, from bytes.
struct ModelServer {
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    private var last: [UInt8] = []

    static let bodies = [
        "", #"{"reason":"BadDeviceToken"}"#, #"{"reason":"Unregistered","timestamp":1700000000000}"#,
        #"{"reason":"TooManyProviderTokenUpdates"}"#, #"{"reason":"#, "[]", String(repeating: " ", count: 1500),
        #"{ "reason" : "Sh\u0075tdown" }"#,
    ]

    /// The bytes of the next move.
    mutating func move(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let bytes: [UInt8]
        switch choices.below(24) {
        case 0...6: bytes = answer(&choices, view)
        case 7: bytes = refusal(&choices, view)
        case 8: bytes = piecemeal(&choices, view)
        case 9: bytes = data(&choices, view)
        case 10: bytes = headers(&choices, view)
        case 11: bytes = reset(&choices, view)
        case 12: bytes = goAway(&choices, view)
        case 13, 14: bytes = settings(&choices)
        case 15...17: bytes = windowUpdate(&choices, view)
        case 18: bytes = Self.frame(6, choices.pick([0, 0, 1, 0xFE]), 0, choices.take(8).padded(to: 8))
        case 19: bytes = odd(&choices, view)
        case 20: bytes = rawHeaders(&choices, view)
        case 21: bytes = again([2, 10, 100, 11_000][choices.below(4)])
        case 22: bytes = rawFrame(&choices, view)
        default: bytes = choices.take(choices.below(40))
        }
        if bytes.count < 100 { last = bytes }
        return bytes
    }

    /// The first thing that a server says.
    mutating func greeting(_ choices: inout Choices) -> [UInt8] {
        switch choices.below(8) {
        case 0: Self.frame(4, 0, 0, [])
        case 1: settings(&choices)
        case 2: Self.settings([(3, UInt32(choices.byte())), (4, UInt32(choices.byte()))])
        case 3: Self.settings([(3, 1)])
        default: Self.settings([(3, 1000), (4, 65_535), (1, 4096), (5, 16_384), (6, 8000)])
        }
    }

    /// The last move many times: a flood at worst.
    private func again(_ times: Int) -> [UInt8] {
        Array(repeatElement(last, count: min(times, 400_000 / max(last.count, 1))).joined())
    }

    /// A header block, with the table's help and Huffman code or without both.
    private mutating func block(_ fields: [(String, String)], isHuffman: Bool = true) -> [UInt8] {
        guard isHuffman else {
            return fields.flatMap { name, value in
                var writer = HPACKWriter()
                writer.writeLiteral((name, value), nameIndex: name == ":status" ? 8 : nil, prefix: 4, flags: 0)
                return writer.bytes
            }
        }
        var buffer = ByteBuffer()
        do {
            try encoder.encode(headers: HPACKHeaders(fields), to: &buffer)
        } catch {
            return []
        }
        return Array(buffer.readableBytesView)
    }

    // MARK: - Answers

    private mutating func answer(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let id = stream(&choices, view)
        switch choices.below(6) {
        case 0: return Self.frame(1, 5, id, [0x88])
        case 1: return Self.frame(1, 5, id, block([(":status", "200"), ("apns-unique-id", "u\(choices.byte())")]))
        case 2: return Self.frame(1, 4, id, [0x88]) + Self.frame(0, 1, id, [])
        case 3: return Self.frame(1, 0x2D, id, [2, 0, 0, 0, 0, 9, 0x88, 0, 0])
        default:
            let name = view.open[id]?.note.map { ModelBatch.idText($0) } ?? "-"
            return Self.frame(1, 5, id, block([(":status", "200"), ("apns-id", name)], isHuffman: choices.isTrue(128)))
        }
    }

    private mutating func refusal(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let id = stream(&choices, view)
        let status = choices.pick(["400", "410", "403", "429", "500", "503", "413", "204", "302", "999"])
        let body = Array(choices.pick(Self.bodies).utf8)
        let head = block([(":status", status), ("content-type", "application/json")])
        if body.isEmpty { return Self.frame(1, 5, id, head) }
        let padding = choices.below(3)
        let padded = [UInt8(padding)] + body + Array(repeating: 0, count: padding)
        return Self.frame(1, 4, id, head) + Self.frame(0, padding > 0 ? 9 : 1, id, padding > 0 ? padded : body)
    }

    /// A head over several frames, perhaps never ended, perhaps with something in between.
    private mutating func piecemeal(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let id = stream(&choices, view)
        let fill = String(repeating: "y", count: choices.byte() * 60)
        let head = block([(":status", choices.pick(["200", "400", "103"])), ("x-fill", fill)])
        let step = max(1, head.count / (1 + choices.below(70)))
        var bytes = Self.frame(1, choices.pick([0, 1]), id, Array(head.prefix(step)))
        var rest = head.dropFirst(step)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(step))
            rest = rest.dropFirst(step)
            if choices.isTrue(4) { bytes += Self.frame(6, 0, 0, Array(repeating: 1, count: 8)) }
            bytes += Self.frame(9, rest.isEmpty && !choices.isTrue(10) ? 4 : 0, id, piece)
        }
        return bytes
    }

    private func data(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let length = [0, 1, 30, 1000, 16_000, 16_384][choices.below(6)]
        let payload = Array(repeating: UInt8(choices.pick([0, 32, 255])), count: length)
        return Self.frame(0, choices.pick([0, 1, 8, 9]), stream(&choices, view), payload)
    }

    /// Heads and trailers in order and not.
    private mutating func headers(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let lists: [[(String, String)]] = [
            [(":status", "200")], [(":status", "100")], [(":status", "103"), ("link", "a")], [(":status", "101")],
            [("x-trailer", "1")], [(":status", "20")], [(":status", "+200")], [(":status", "0200")], [],
            [("x-before", "1"), (":status", "200")], [(":status", "200"), (":status", "400")],
            [(":status", "200"), (":path", "/")], [(":status", "200"), ("X-Upper", "1")], [(":status", "9999")],
            [(":status", "200"), ("", "1")], [(":status", "200"), ("apns-unique-id", "a\r\nb")],
            [(":status", "200"), ("apns-unique-id", String(repeating: "u", count: 65))],
            [(":status", "200"), ("x", String(repeating: "z", count: 16_400))], [(":status", "410"), ("a b", "1")],
        ]
        let flags: UInt8 = choices.pick([5, 4, 5])
        let head = block(choices.pick(lists), isHuffman: choices.isTrue(128))
        return Self.frame(1, flags, stream(&choices, view), Array(head.prefix(16_384)))
    }

    private func rawHeaders(_ choices: inout Choices, _ view: ModelView) -> [UInt8] {
        let starts: [[UInt8]] = [
            [], [0x88], [0x20], [0x3F, 0xE1, 0x1F], [0x3F, 0xE2, 0x1F], [0x20, 0x20, 0x20, 0x88], [0x88, 0x20],
            [0x88, 0x0F, 0x2E], [0x88, 0x00, 0x85], [0xBE], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x40, 0x7F, 0xFF],
        ]
        let start = choices.pick(starts)
        let flags = choices.pick([UInt8(5), 4, 0xD, 0x25])
        return Self.frame(1, flags, stream(&choices, view), start + choices.take(choices.below(24)))
    }
}
