import ApplePush
import ApplePushConnection
import CarillonBytes
import Foundation
import NIOCore
import Testing

/// Notifications of one batch that have payloads of their own, of all lengths.
struct OwnPayloadTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    private func payload(_ index: Int, longest: Int) -> [UInt8] {
        let length = 2 + (index * 37) % (longest - 1)
        return (0..<length).map { UInt8(ascii: "a") + UInt8(($0 + index) % 26) }
    }

    private func batch(_ count: Int, longest: Int = 300) throws -> PushBatch {
        let sample = Sample.batch(count)
        return try PushBatch(
            headers: sample.headers,
            payloads: ByteColumn((0..<count).map { payload($0, longest: longest) }),
            tokens: sample.tokens,
            ids: sample.ids
        )
    }

    @Test("Each notification has its own payload, path and id")
    func ownPayloads() throws {
        var peer = Peer.warm()
        let batch = try batch(120)
        peer.offer(120, slice: 1, batch: batch)

        #expect(peer.requests.count == 120)
        for (index, request) in peer.requests.enumerated() {
            #expect(request.body == payload(index, longest: 300) && request.isEnded)
            #expect(request[":path"] == "/3/device/" + (APNsDeviceToken(bytes: Sample.tokenBytes(index))?.hex ?? ""))
            #expect(request["apns-id"] == batch.ids[index].uuidString.lowercased())
        }
        peer.answerAll()
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 120))
    }

    @Test("Separate payloads arrive complete whatever pieces flow control allows", arguments: [1, 7, 299, 300, 301])
    func pieces(step: UInt32) throws {
        var peer = Peer.warm(streams: 3)
        peer.send(settings: [(4, 0)])
        let batch = try batch(5)
        peer.offer(5, slice: 1, batch: batch)
        var checked = 0
        for _ in 0..<2_000 where peer.outcomes(1) == nil {
            for request in peer.requests where !request.isEnded { peer.widen(stream: request.stream, by: step) }
            for request in peer.requests where request.isEnded {
                #expect(request.body == payload(checked, longest: 300))
                checked += 1
                peer.answer(request.stream)
            }
        }
        #expect(checked == 5 && peer.outcomes(1) == Array(repeating: accepted, count: 5))
    }

    @Test("The connection's window is used exactly to its last byte")
    func connectionWindow() throws {
        var peer = Peer.warm()
        peer.offer(1000, slice: 1, batch: try batch(1000, longest: 4_000))
        // The warm connection has sent one request of 160 bytes.
        #expect(peer.requests.reduce(160) { $0 + $1.body.count } == 65_535)
        for _ in 0..<1_000 where peer.outcomes(1) == nil {
            peer.widen(by: 65_535)
            peer.answerAll()
        }
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 1000))
    }

    @Test("An empty or too large payload is refused, and so are unequal columns")
    func refuses() throws {
        let sample = Sample.batch(2)
        func make(_ payloads: [UInt8]...) throws {
            let payloads = ByteColumn(payloads)
            _ = try PushBatch(headers: sample.headers, payloads: payloads, tokens: sample.tokens, ids: sample.ids)
        }
        let long = [UInt8](repeating: 0x7B, count: 4_097)
        #expect(throws: PushBatch.Problem.badPayload(index: 1)) { try make([1, 2], []) }
        #expect(throws: PushBatch.Problem.badPayload(index: 0)) { try make(long, [1]) }
        #expect(throws: PushBatch.Problem.unequalColumns) { try make([1, 2]) }
        #expect(throws: PushBatch.Problem.unequalColumns) { try make([1], [2], [3]) }
        try make(Array(long.dropFirst()), [1])
    }
}
