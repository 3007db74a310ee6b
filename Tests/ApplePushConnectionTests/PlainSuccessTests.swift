import NIOCore
import NIOHPACK
import Testing

@testable import ApplePushConnection

struct PlainSuccessTests {
    private static let id: [UInt8] = [36] + Array("123e4567-e89b-12d3-a456-426614174000".utf8)
    private static let codedName: [UInt8] = [0x85, 0x1D, 0x75, 0x21, 0x63, 0x49]
    private static let plainName: [UInt8] = [7] + Array("apns-id".utf8)

    static let plain: [[UInt8]] = [
        [0x88], [0x88, 0x00] + plainName + id, [0x88, 0x10] + plainName + id, [0x88, 0x10] + codedName + id,
        [0x88, 0x0F, 18, 1, 0x61] + [0x00] + codedName + id, [0x88, 0x1F, 46, 0],
    ]

    static let other: [[UInt8]] = [
        [], [0x8C], [0x89], [0x88, 0x88], [0x88, 0x40] + plainName + id, [0x88, 0x20], [0x88, 0x08, 1, 0x32],
        [0x88, 0x0F, 47, 0], [0x88, 0x0F, 0xFF, 0], [0x88, 0x0F], [0x88, 0x00], [0x88, 0x00] + plainName,
        [0x88, 0x00] + plainName + id.dropLast(), [0x88, 0x00, 0x7F] + plainName, [0x88, 0x0F, 18, 0x7F, 0],
        [0x88, 0x00, 14] + Array("apns-unique-id".utf8) + [1, 0x61],
    ]

    private func matches(_ block: [UInt8]) -> Bool {
        block.withUnsafeBytes { PlainSuccess.matches($0) }
    }

    @Test("P-24 a plain success is recognised without decoding, and the decoder agrees", arguments: plain)
    func plainBlocks(block: [UInt8]) throws {
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        var buffer = ByteBuffer(bytes: block)
        let headers = try decoder.decodeHeaders(from: &buffer)
        #expect(matches(block) && headers.first(name: ":status") == "200")
        #expect(headers.dropFirst().allSatisfy { !$0.name.hasPrefix(":") })
    }

    @Test("P-24 anything else is left to the decoder", arguments: other)
    func otherBlocks(block: [UInt8]) {
        #expect(!matches(block))
    }

    @Test("Recognition without decoding never changes the decoder's table", arguments: 0..<20)
    func agreement(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var decoder = AnswerHeaderDecoder()
        var judge = HPACKDecoder(allocator: ByteBufferAllocator())
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        for _ in 0..<200 {
            var headers = HPACKHeaders([(":status", ["200", "410", "201"].randomElement(using: &random) ?? "")])
            for name in ["apns-id", "server", "apns-unique-id"].shuffled(using: &random).prefix(2) {
                let indexing = [HPACKIndexing.indexable, .nonIndexable, .neverIndexed].randomElement(using: &random)
                headers.add(name: name, value: String(random.next() % 9), indexing: indexing ?? .indexable)
            }
            var buffer = ByteBuffer()
            try encoder.encode(headers: headers, to: &buffer)
            let head = try buffer.withUnsafeReadableBytes { bytes in try decoder.read(bytes) }
            let expected = try judge.decodeHeaders(from: &buffer)
            #expect(head.status.map { String($0) } == expected.first(name: ":status"))
            #expect(head.uniqueID == expected.first(name: "apns-unique-id"))
        }
    }
}
