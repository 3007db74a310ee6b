import ApplePush
import ApplePushConnection
import Foundation
import NIOCore
import Testing

struct StreamLimitTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    @Test("P-02 one request is sent until it is answered and the limit is raised")
    func oneStreamAtFirst() {
        var peer = Peer()
        peer.offer(10, slice: 1)
        #expect(peer.requests.count == 1)
        peer.send(settings: [(3, 1)])
        #expect(peer.requests.count == 1)
        peer.answer(1)
        #expect(peer.requests.count == 1)
        peer.send(settings: [(3, 1000)])
        #expect(peer.requests.count == 9)
    }

    @Test("P-02 a high limit before the first answer has no effect")
    func gateBeforeAnswer() {
        var peer = Peer()
        peer.send(settings: [(3, 1000)])
        peer.offer(10, slice: 1)
        #expect(peer.requests.count == 1)
        peer.answer(1)
        #expect(peer.requests.count == 9)
    }

    @Test("A connection with a client certificate may begin with all its streams")
    func certificate() {
        var peer = Peer { $0.startsWithOneStream = false }
        peer.send(settings: [(3, 5)])
        peer.offer(10, slice: 1)
        #expect(peer.requests.count == 5)
    }

    @Test("P-03 the number of open streams never exceeds the limit, whatever it is", arguments: [1, 2, 7, 100, 1000])
    func limit(streams: UInt32) {
        var peer = Peer.warm(streams: streams) { $0.maximumStreams = 500 }
        peer.widen(by: 1_000_000)
        peer.offer(700, slice: 1)
        #expect(peer.requests.count == min(Int(streams), 500))
        while let request = peer.requests.first {
            peer.answer(request.stream)
            #expect(peer.requests.count <= min(Int(streams), 500))
        }
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 700))
    }

    @Test("P-04 the limit changes 1, 1000, 1, 1000 and no notification is lost or sent twice")
    func limitChanges() {
        var peer = Peer()
        peer.send(settings: [(3, 1)])
        peer.widen(by: 1_000_000)
        peer.offer(2000, slice: 1)
        peer.answer(1)
        for (index, limit) in [UInt32(1000), 1, 1000, 1, 1000].enumerated() {
            peer.send(settings: [(3, limit)])
            for _ in 0..<(index == 1 ? 1100 : 150) where !peer.requests.isEmpty {
                let before = peer.requests.count
                peer.answer(peer.requests[0].stream)
                #expect(peer.requests.count <= max(before - 1, Int(limit)))
            }
        }
        peer.answerAll()

        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 2000))
        #expect(peer.seenIDs.count == 2000 && Set(peer.seenIDs).count == 2000)
    }

    @Test("P-04 a limit of zero stops everything until it is raised")
    func limitZero() {
        var peer = Peer.warm()
        peer.send(settings: [(3, 0)])
        peer.offer(3, slice: 1)
        #expect(peer.requests.isEmpty)
        peer.send(settings: [(3, 10)])
        #expect(peer.requests.count == 3)
    }

    @Test("P-05 a refused stream is sent again, once for each refusal, with the same id")
    func refused() {
        var peer = Peer.warm(streams: 10)
        let batch = Sample.batch(10)
        peer.offer(10, slice: 1, batch: batch)
        let streams = peer.requests.map(\.stream)
        peer.reset(streams[3], 7)
        // Apple follows the refusal with a second reset of the same stream.
        peer.send(3, stream: streams[3], Peer.bytes(5))

        #expect(peer.requests.count == 10)
        #expect(peer.requests.last?["apns-id"] == batch.ids[3].uuidString.lowercased())
        peer.answerAll()
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 10))
        #expect(peer.seenIDs.count == 1 + 11)
    }

    @Test("P-05 a notification that is always refused is not sent")
    func refusedForEver() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        for _ in 0..<4 { peer.reset(peer.requests[0].stream, 7) }
        #expect(peer.outcomes(1) == [.notSent(.refused)])
        #expect(peer.requests.isEmpty)
    }

    @Test("P-05 a stream refused while the connection is closing is returned to be sent elsewhere")
    func refusedWhileClosing() {
        var peer = Peer.warm()
        peer.offer(2, slice: 1)
        peer.goAway(last: 1000)
        let stream = peer.requests[1].stream
        peer.reset(stream, 7)
        peer.answerAll()
        #expect(peer.outcomes(1) == [accepted, .notSent(.refused)])
    }

    @Test("P-13 the connection is given up at its last stream id")
    func lastStreamID() {
        var peer = Peer {
            $0.firstStreamID = 0x7FFF_FFFF - 4
            $0.startsWithOneStream = false
        }
        peer.send(settings: [(3, 100)])
        peer.offer(5, slice: 1)

        #expect(peer.requests.map(\.stream) == [0x7FFF_FFFB, 0x7FFF_FFFD, 0x7FFF_FFFF])
        #expect(peer.drainings.map(\.cause) == [.drained])
        peer.answerAll()
        #expect(
            peer.outcomes(1)
                == Array(repeating: accepted, count: 3) + Array(repeating: .notSent(.connectionLost), count: 2)
        )
        #expect(peer.closure?.cause == .drained)
    }

    @Test("P-13 a connection may be given up after a number of requests")
    func maximumRequests() {
        var peer = Peer.warm { $0.maximumRequests = 5 }
        peer.offer(10, slice: 1)
        #expect(peer.requests.count == 4)
        peer.answerAll()
        #expect(peer.outcomes(1)?.count { $0 == accepted } == 4)
        #expect(peer.outcomes(1)?.count { $0 == .notSent(.connectionLost) } == 6)
    }

    @Test("A stream without an answer does not block the others")
    func oldestStreamHangs() {
        var peer = Peer.warm(streams: 50)
        peer.widen(by: 10_000_000)
        peer.offer(1, slice: 1)
        let hanging = peer.requests.removeFirst().stream
        for round in 0..<100 {
            peer.offer(49, slice: 2 + round)
            peer.answerAll()
            #expect(peer.outcomes(2 + round)?.count == 49)
        }
        peer.answer(hanging)
        #expect(peer.outcomes(1) == [accepted])
    }
}
