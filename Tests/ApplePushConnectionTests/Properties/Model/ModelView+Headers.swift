import NIOCore
import NIOHPACK

@testable import ApplePushConnection

extension ModelView {
    mutating func readHeaders(_ flags: UInt8, _ id: UInt32, _ payload: [UInt8]) throws(Broken) {
        var bytes = payload
        if flags & 8 != 0 {
            guard let padding = payload.first else { throw Broken(6) }
            guard Int(padding) < payload.count else { throw Broken(1) }
            bytes = Array(payload.dropFirst().dropLast(Int(padding)))
        }
        if flags & 0x20 != 0 {
            guard bytes.count >= 5 else { throw Broken(6) }
            bytes.removeFirst(5)
        }
        if flags & 4 != 0 {
            try readBlock(bytes, id, endsStream: flags & 1 != 0)
        } else {
            block = (id, flags & 1 != 0, bytes, 1)
        }
    }

    mutating func readContinuation(_ flags: UInt8, _ payload: [UInt8]) throws(Broken) {
        guard var block else { throw Broken(1) }
        block.bytes += payload
        block.frames += 1
        guard block.bytes.count <= 16_384, block.frames <= 64 else { throw Broken(11) }
        self.block = block
        guard flags & 4 != 0 else { return }
        self.block = nil
        try readBlock(block.bytes, block.stream, endsStream: block.endsStream)
    }

    private mutating func readBlock(_ bytes: [UInt8], _ id: UInt32, endsStream: Bool) throws(Broken) {
        let fields = try fields(bytes)
        guard let stream = open[id] else {
            guard !isIdle(id) else { throw Broken(1) }
            return
        }
        if stream.status != 0 {
            let isTrailers = fields.allSatisfy { !$0.name.hasPrefix(":") && Self.isName($0.name) }
            return endsStream && isTrailers ? complete(id) : reset(id, 1)
        }
        guard let status = Self.status(fields) else { return reset(id, 1) }
        if status < 200 {
            if endsStream { reset(id, 1) }
            return
        }
        hasAnswer = true
        open[id]?.status = status
        let uniqueID = fields.last { $0.name == "apns-unique-id" && Self.isShort($0.value) }?.value
        open[id]?.uniqueID = uniqueID
        if endsStream { complete(id) }
    }

    private mutating func fields(_ bytes: [UInt8]) throws(Broken) -> [(name: String, value: String)] {
        // What is recognized without decoding is passed over, bad Huffman code in it included.
        if bytes.withUnsafeBytes({ PlainSuccess.matches($0) }) { return [(":status", "200")] }
        var buffer = ByteBuffer(bytes: bytes)
        do {
            return try decoder.decodeHeaders(from: &buffer).map { ($0.name, $0.value) }
        } catch {
            throw Broken(9)
        }
    }

    /// The status of an answer whose fields are in order (RFC 9113 §8.2.1, §8.3 and §8.3.2).
    private static func status(_ fields: [(name: String, value: String)]) -> Int? {
        guard let first = fields.first, first.name == ":status", first.value.utf8.count == 3,
            first.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(first.value),
            status >= 100, status != 101
        else { return nil }
        return fields.dropFirst().allSatisfy { isName($0.name) } ? status : nil
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) && $0 != 0x3A }
    }

    private static func isShort(_ value: String) -> Bool {
        (1...64).contains(value.utf8.count) && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
