import ApplePush
import ApplePushConnection
import NIOCore
import Testing

struct FlowControlTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    /// How many bytes of bodies have come.
    private func received(_ peer: Peer) -> Int { peer.requests.reduce(0) { $0 + $1.body.count } }

    @Test("A stalled connection window stops bodies at its last byte and continues with the next update")
    func connectionWindow() {
        var peer = Peer.warm()
        let sent = 160
        peer.offer(1000, slice: 1)
        #expect(received(peer) + sent == 65_535)
        peer.widen(by: 1)
        #expect(received(peer) + sent == 65_536)
        peer.widen(by: 1_000_000)
        #expect(peer.requests.count == 999 || peer.requests.count == 1000)
        peer.answerAll()
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 1000))
    }

    @Test("Bodies arrive complete whatever pieces flow control allows", arguments: [1, 7, 16, 33, 159, 160, 161, 1000])
    func pieces(step: UInt32) {
        var peer = Peer.warm(streams: 3)
        peer.send(settings: [(4, 0)])
        let batch = Sample.batch(5)
        peer.offer(5, slice: 1, batch: batch)
        #expect(peer.requests.count == 3 && received(peer) == 0)
        var checked = 0
        for _ in 0..<1000 where peer.outcomes(1) == nil {
            for request in peer.requests where !request.isEnded { peer.widen(stream: request.stream, by: step) }
            for request in peer.requests where request.isEnded {
                #expect(request.body == expectedBody(batch, checked))
                checked += 1
                peer.answer(request.stream)
            }
        }
        #expect(checked == 5 && peer.outcomes(1) == Array(repeating: accepted, count: 5))
    }

    private func expectedBody(_ batch: PushBatch, _ index: Int) -> [UInt8] {
        var body = batch.payload.bytes
        body.replaceSubrange(10..<34, with: Sample.slotBytes(index))
        return body
    }

    @Test("A lowered initial window makes the windows of open streams negative; they wait until they are positive")
    func negativeWindow() {
        var peer = Peer.warm()
        peer.send(settings: [(4, 100)])
        peer.offer(1, slice: 1)
        #expect(peer.requests[0].body.count == 100 && !peer.requests[0].isEnded)
        peer.send(settings: [(4, 20)])
        peer.widen(stream: peer.requests[0].stream, by: 80)
        #expect(peer.requests[0].body.count == 100)
        peer.widen(stream: peer.requests[0].stream, by: 10)
        #expect(peer.requests[0].body.count == 110)
        peer.send(settings: [(4, 65_535)])
        #expect(peer.requests[0].isEnded && peer.requests[0].body.count == 160)
    }

    @Test("A raised initial window continues the waiting streams")
    func raisedWindow() {
        var peer = Peer.warm(streams: 10)
        peer.send(settings: [(4, 0)])
        peer.offer(10, slice: 1)
        #expect(received(peer) == 0)
        peer.send(settings: [(4, 65_535)])
        #expect(received(peer) == 1600 && peer.requests.allSatisfy(\.isEnded))
    }

    @Test("A body longer than a frame is sent in several")
    func longBody() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1, batch: Sample.batch(1, bodyLength: 40_000))
        #expect(peer.requests[0].body.count == 40_000 && peer.requests[0].isEnded)
    }

    @Test("Windows that overflow are violations: of the connection, or of the one stream")
    func overflow() {
        var peer = Peer.warm(streams: 2)
        peer.send(settings: [(4, 10)])
        peer.offer(2, slice: 1)
        peer.widen(stream: peer.requests[0].stream, by: 0x7FFF_FFFF)
        #expect(peer.frames.last?.kind != 7 && peer.closure == nil)
        peer.answerAll()
        peer.widen(by: 0x7FFF_FFFF)
        #expect(peer.closure?.cause == .protocolViolation && peer.closure?.code == 3)
    }

    @Test("An initial window that overflows a stream's window closes the connection")
    func settingsOverflow() {
        var peer = Peer.warm(streams: 2)
        peer.send(settings: [(4, 10)])
        peer.offer(1, slice: 1)
        peer.widen(stream: peer.requests[0].stream, by: 1000)
        peer.send(settings: [(4, 0x7FFF_FFFF)])
        #expect(peer.closure?.code == 3)
    }

    @Test("P-40 a window update of zero ends only its stream, or the connection when it is the connection's")
    func zeroIncrement() {
        var peer = Peer.warm(streams: 3)
        peer.offer(3, slice: 1)
        let stream = peer.requests[1].stream
        peer.widen(stream: stream, by: 0)
        #expect(peer.frames.last == Peer.Frame(kind: 3, flags: 0, stream: stream, payload: [0, 0, 0, 1]))
        peer.requests.removeAll { $0.stream == stream }
        peer.answerAll()
        #expect(peer.outcomes(1) == [accepted, .unknown(.malformedAnswer), accepted])
        peer.widen(by: 0)
        #expect(peer.closure?.code == 1)
    }

    @Test("The connection's receive window is widened as answers are read, and exceeding it is a violation")
    func receiveWindow() {
        var peer = Peer.warm(streams: 1000)
        peer.offer(100, slice: 1)
        for request in peer.requests {
            peer.answer(request.stream, 400, String(repeating: " ", count: 1000))
        }
        let updates = peer.frames.filter { $0.kind == 8 && $0.stream == 0 }
        #expect(updates.reduce(0) { $0 + $1.number } > 90_000)
        #expect(peer.closure == nil && peer.outcomes(1)?.count == 100)
    }

    @Test("P-40 an endless answer is cut off, and the others continue")
    func endlessAnswer() {
        var peer = Peer.warm(streams: 2)
        peer.offer(2, slice: 1)
        let stream = peer.requests[0].stream
        peer.send(1, flags: 4, stream: stream, peer.block([(":status", "400")]))
        for _ in 0..<5 { peer.send(0, stream: stream, Array(repeating: 32, count: 16_000)) }
        peer.requests.removeFirst()
        peer.answerAll()
        #expect(peer.outcomes(1) == [.unknown(.malformedAnswer), accepted])
        #expect(peer.frames.contains(Peer.Frame(kind: 3, flags: 0, stream: stream, payload: [0, 0, 0, 3])))
    }
}
