import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import Testing

struct AnswerTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    @Test("P-24 an accepted notification carries the sandbox's unique id when there is one")
    func uniqueID() {
        var peer = Peer.warm()
        peer.offer(2, slice: 1)
        peer.answer(peer.requests[0].stream, extra: [("apns-unique-id", "2F62B5D5-EDE6-8B1C-8E3C-C3B0C1CC7A5E")])
        peer.answer(peer.requests[0].stream)
        #expect(peer.outcomes(1) == [.accepted(uniqueID: "2F62B5D5-EDE6-8B1C-8E3C-C3B0C1CC7A5E"), accepted])
    }

    @Test("P-25 P-40 a refusal comes with reason, status and time, and concerns its own notification only")
    func rejections() {
        var peer = Peer.warm()
        peer.offer(5, slice: 1)
        let streams = peer.requests.map(\.stream)
        peer.answer(streams[4], 410, #"{"reason":"Unregistered","timestamp":1709251200123}"#)
        peer.answer(streams[1], 400, #"{"reason":"BadDeviceToken"}"#)
        peer.answer(streams[2], 503)
        peer.answer(streams[0])
        peer.answer(streams[3], 429, "not json")

        let since = Date(timeIntervalSince1970: 1_709_251_200.123)
        #expect(
            peer.outcomes(1) == [
                accepted, .rejected(Rejection(.badDeviceToken, status: 400)),
                .rejected(Rejection(.unstated, status: 503)), .rejected(Rejection(.unstated, status: 429)),
                .rejected(Rejection(.unregistered, status: 410, tokenInvalidSince: since)),
            ]
        )
    }

    @Test("Outcomes are in the batch's order, however the answers arrive")
    func order() {
        var peer = Peer.warm()
        peer.offer(100, slice: 1)
        for (place, request) in peer.requests.enumerated().reversed() {
            peer.answer(request.stream, 400 + place, "")
        }
        #expect(peer.outcomes(1) == (0..<100).map { .rejected(Rejection(.unstated, status: 400 + $0)) })
    }

    @Test("An answer may arrive in single bytes")
    func singleBytes() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        let stream = peer.requests[0].stream
        peer.send(1, flags: 4, stream: stream, peer.block([(":status", "400"), ("apns-id", "x")]), cutEvery: 1)
        peer.send(0, flags: 1, stream: stream, Array(#"{"reason":"BadTopic"}"#.utf8), cutEvery: 1)
        #expect(peer.outcomes(1) == [.rejected(Rejection(.badTopic, status: 400))])
    }

    @Test("An answer may have padding, a priority, continuations, several pieces of body and trailers")
    func ornaments() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        let stream = peer.requests[0].stream
        let block = peer.block([(":status", "410"), ("server", "x")])
        let body = Array(#"{"reason":"ExpiredToken"}"#.utf8)
        peer.send(1, flags: 0x8 | 0x20, stream: stream, [3] + [0, 0, 0, 0, 9] + block.prefix(1) + [0, 0, 0])
        peer.send(9, stream: stream, [])
        peer.send(9, flags: 4, stream: stream, Array(block.dropFirst()))
        peer.send(0, flags: 8, stream: stream, [2] + body.prefix(5) + [0, 0])
        peer.send(0, stream: stream, Array(body.dropFirst(5)))
        peer.send(1, flags: 5, stream: stream, peer.block([("trailer", "1")]))
        #expect(peer.outcomes(1) == [.rejected(Rejection(.expiredToken, status: 410))])
        #expect(peer.closure == nil)
    }

    @Test("An interim answer is ignored")
    func interim() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        let stream = peer.requests[0].stream
        peer.send(1, flags: 4, stream: stream, peer.block([(":status", "103"), ("link", "x")]))
        peer.answer(stream)
        #expect(peer.outcomes(1) == [accepted])
    }

    @Test("The server's header table is maintained from answer to answer")
    func dynamicTable() {
        var peer = Peer.warm()
        for round in 0..<100 {
            peer.offer(3, slice: 1 + round)
            for request in peer.requests {
                peer.answer(request.stream, 403, "", extra: [("x-\(round % 7)", String(repeating: "v", count: round))])
            }
            #expect(
                peer.outcomes(1 + round) == Array(repeating: .rejected(Rejection(.unstated, status: 403)), count: 3)
            )
        }
    }

    @Test("P-40 an answer that HTTP/2 forbids ends its own stream", arguments: [0, 1, 2, 3])
    func malformed(which: Int) {
        var peer = Peer.warm()
        peer.offer(2, slice: 1)
        let stream = peer.requests[0].stream
        switch which {
        case 0: peer.send(1, flags: 5, stream: stream, peer.block([("server", "x")]))
        case 1: peer.send(1, flags: 5, stream: stream, peer.block([(":status", "abc")]))
        case 2: peer.send(0, flags: 1, stream: stream, [1])
        default:
            peer.send(1, flags: 4, stream: stream, peer.block([(":status", "400")]))
            peer.send(1, flags: 4, stream: stream, peer.block([(":status", "400")]))
        }
        peer.requests.removeFirst()
        peer.answerAll()
        #expect(peer.outcomes(1) == [.unknown(.malformedAnswer), accepted])
        #expect(peer.frames.last == Peer.Frame(kind: 3, flags: 0, stream: stream, payload: [0, 0, 0, 1]))
    }

    @Test("P-28 a reset makes only the outcome of a completely sent notification unknown")
    func resets() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        peer.reset(peer.requests[0].stream, 8)
        #expect(peer.outcomes(1) == [.unknown(.reset)])

        peer.send(settings: [(4, 10)])
        peer.offer(1, slice: 2)
        peer.reset(peer.requests[0].stream, 8)
        #expect(peer.outcomes(2) == [.notSent(.reset)])
    }

    @Test("A reset after the status does not change the outcome")
    func resetAfterStatus() {
        var peer = Peer.warm()
        peer.offer(2, slice: 1)
        let streams = peer.requests.map(\.stream)
        for (stream, status) in zip(streams, ["413", "200"]) {
            peer.send(1, flags: 4, stream: stream, peer.block([(":status", status)]))
            peer.reset(stream, 0)
        }
        #expect(peer.outcomes(1) == [.rejected(Rejection(.unstated, status: 413)), accepted])
    }

    @Test("An answer before the end of the body counts, and the rest of the body is not sent")
    func earlyAnswer() {
        var peer = Peer.warm()
        peer.send(settings: [(4, 10)])
        peer.offer(1, slice: 1)
        let stream = peer.requests[0].stream
        peer.answer(stream, 413, #"{"reason":"PayloadTooLarge"}"#)
        #expect(peer.outcomes(1) == [.rejected(Rejection(.payloadTooLarge, status: 413))])
        #expect(peer.frames.last?.kind == 3 && peer.frames.last?.stream == stream)
        peer.send(settings: [(4, 65_535)])
        #expect(peer.requests.isEmpty && peer.closure == nil)
    }

    @Test("Late frames on a closed stream are ignored, and its headers still update the table")
    func lateFrames() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        let stream = peer.requests[0].stream
        peer.machine.cancel(.init(rawValue: 1))
        peer.exchange()
        #expect(peer.outcomes(1) == [.unknown(.cancelled)])
        peer.send(1, flags: 4, stream: stream, peer.block([(":status", "410"), ("new-name", "new-value")]))
        peer.send(0, flags: 1, stream: stream, [1, 2, 3])
        peer.send(8, stream: stream, [0, 0, 0, 1])
        peer.reset(stream, 5)
        peer.requests = []
        peer.offer(1, slice: 2)
        peer.answer(peer.requests[0].stream, 410, "", extra: [("new-name", "new-value")])
        #expect(peer.outcomes(2) == [.rejected(Rejection(.unstated, status: 410))])
    }
}
