import ApplePush
import ApplePushConnection
import NIOCore
import Testing

struct ConnectionEndTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    @Test("P-06 after GOAWAY nothing new is sent, earlier streams are answered, later ones return unsent")
    func goAway() {
        var peer = Peer.warm(streams: 10)
        peer.offer(20, slice: 1)
        let streams = peer.requests.map(\.stream)
        peer.goAway(last: streams[3], #"{"reason":"Shutdown"}"#)

        #expect(peer.drainings.map(\.reason) == [.shutdown])
        #expect(peer.requests.map(\.stream) == Array(streams[...3]) && !peer.machine.isOpen)
        #expect(peer.closure == nil)
        peer.answerAll()
        let expected = Array(repeating: accepted, count: 4) + Array(repeating: .notSent(.goAway), count: 16)
        #expect(peer.outcomes(1) == expected)
        #expect(peer.closure == peer.drainings.first)
        #expect(peer.seenIDs.count == 11)
    }

    @Test("P-07 a GOAWAY without a stream ends at once, with its reason")
    func credentialGoAway() {
        var peer = Peer()
        peer.offer(3, slice: 1)
        peer.send(settings: [])
        peer.goAway(last: 0, #"{"reason":"BadCertificateEnvironment"}"#)
        #expect(peer.outcomes(1) == Array(repeating: .notSent(.goAway), count: 3))
        #expect(peer.closure?.cause == .goAway && peer.closure?.reason == .badCertificateEnvironment)
        #expect(peer.closure?.code == 0)
    }

    @Test("P-08 of two GOAWAYs the second may exclude more streams")
    func twoGoAways() {
        var peer = Peer.warm(streams: 10)
        peer.offer(10, slice: 1)
        let streams = peer.requests.map(\.stream)
        peer.goAway(last: 0x7FFF_FFFF)
        #expect(peer.requests.count == 10)
        peer.goAway(last: streams[1], #"{"reason":"IdleTimeout"}"#)
        peer.answerAll()
        #expect(peer.outcomes(1) == [accepted, accepted] + Array(repeating: .notSent(.goAway), count: 8))
        #expect(peer.drainings.count == 1 && peer.closure?.reason == .idleTimeout)
    }

    @Test("P-08 debug data that is empty or not JSON gives no reason", arguments: ["", "{", "bye", #"{"reason":3}"#])
    func oddDebugData(text: String) {
        var peer = Peer.warm()
        peer.goAway(last: 0, code: 7, text)
        #expect(peer.closure == ConnectionClosure.goAwayWithoutReason(code: 7))
    }

    @Test("P-08 P-28 a lost connection: sent ones are unknown, unsent ones are not sent")
    func abruptEnd() {
        var peer = Peer.warm(streams: 5)
        peer.offer(8, slice: 1)
        peer.answer(peer.requests[2].stream)
        peer.machine.disconnected()
        peer.exchange()
        let unknown = Outcome.unknown(.connectionLost)
        let notSent = Outcome.notSent(.connectionLost)
        #expect(peer.outcomes(1) == [unknown, unknown, accepted, unknown, unknown, unknown, notSent, notSent])
        #expect(peer.closure?.cause == .lost)
    }

    @Test("P-28 a notification with an incomplete body is not sent")
    func halfSent() {
        var peer = Peer.warm()
        peer.send(settings: [(4, 10)])
        peer.offer(2, slice: 1)
        peer.machine.disconnected()
        peer.exchange()
        #expect(peer.outcomes(1) == [.notSent(.connectionLost), .notSent(.connectionLost)])
    }

    @Test("P-14 a drain returns unsent notifications, waits for the rest, sends GOAWAY and closes")
    func drain() {
        var peer = Peer.warm(streams: 2)
        peer.offer(3, slice: 1)
        peer.machine.drain(.shutDownForTest)
        peer.exchange()
        #expect(peer.closure == nil)
        peer.answerAll()
        #expect(peer.outcomes(1) == [accepted, accepted, .notSent(.connectionLost)])
        #expect(peer.closure?.cause == .drained)
        #expect(peer.frames.last == Peer.Frame(kind: 7, flags: 0, stream: 0, payload: Array(repeating: 0, count: 8)))
    }

    @Test("A closed connection returns every slice")
    func offerAfterEnd() {
        var peer = Peer.warm()
        peer.machine.disconnected()
        peer.offer(2, slice: 1)
        #expect(peer.outcomes(1) == [.notSent(.connectionLost), .notSent(.connectionLost)])
    }

    @Test("An empty slice is finished at once")
    func emptySlice() {
        var peer = Peer.warm()
        peer.offer(0, slice: 1)
        #expect(peer.outcomes(1) == [])
    }

    // MARK: Deadlines and silence

    @Test("P-37 a deadline covers queueing: unsent ones are returned, sent ones are reset and unknown")
    func deadline() {
        var peer = Peer.warm(streams: 3)
        peer.offer(5, slice: 1, deadline: peer.now + .seconds(2))
        let streams = peer.requests.map(\.stream)
        peer.answer(streams[0])
        peer.tick(after: .seconds(1))
        #expect(peer.outcomes(1) == nil)
        peer.tick(after: .seconds(1))

        let unknown = Outcome.unknown(.deadlinePassed)
        #expect(peer.outcomes(1) == [accepted, unknown, unknown, unknown, .notSent(.deadlinePassed)])
        let resets = peer.frames.filter { $0.kind == 3 }
        #expect(resets.count == 3 && resets.allSatisfy { $0.number == 8 })
        #expect(peer.closure == nil)
    }

    @Test("P-37 cancelling frees the streams for others")
    func cancel() {
        var peer = Peer.warm(streams: 3)
        peer.offer(5, slice: 1)
        peer.offer(2, slice: 2)
        peer.machine.cancel(.init(rawValue: 1))
        peer.requests = []
        peer.exchange()
        #expect(peer.outcomes(1)?.count == 5 && peer.requests.count == 2)
        peer.answerAll()
        #expect(peer.outcomes(2) == [accepted, accepted])
    }

    @Test("P-37 only a limited number of streams is reset at once: the others keep their place until their answer")
    func manyResets() {
        var peer = Peer.warm(streams: 300)
        peer.widen(by: 1_000_000)
        peer.frames = []
        peer.offer(300, slice: 1)
        peer.machine.cancel(.init(rawValue: 1))
        peer.exchange()
        #expect(peer.outcomes(1) == Array(repeating: .unknown(.cancelled), count: 300))
        #expect(peer.frames.filter { $0.kind == 3 }.count == 100)
        let kept = peer.requests.dropFirst(100).map(\.stream)
        peer.requests = []
        peer.offer(150, slice: 2)
        #expect(peer.requests.count == 100)
        for stream in kept { peer.answer(stream, 400, #"{"reason":"BadTopic"}"#) }
        peer.answerAll()
        #expect(peer.outcomes(2) == Array(repeating: accepted, count: 150))
    }

    @Test("P-09 a silent connection gets a PING, and is given up without an acknowledgement")
    func blackHole() {
        var peer = Peer.warm(streams: 2)
        peer.offer(3, slice: 1)
        peer.tick(after: .seconds(4))
        #expect(peer.frames.isEmpty)
        peer.tick(after: .seconds(1))
        #expect(peer.frames.map(\.kind) == [6])
        peer.tick(after: .seconds(4))
        #expect(peer.closure == nil)
        peer.tick(after: .seconds(1))
        #expect(peer.closure?.cause == .unresponsive)
        let unknown = Outcome.unknown(.connectionLost)
        #expect(peer.outcomes(1) == [unknown, unknown, .notSent(.connectionLost)])
    }

    @Test("P-09 an acknowledgement proves that the peer is alive")
    func pingEcho() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1)
        for _ in 0..<20 {
            peer.tick(after: .seconds(5))
            guard let ping = peer.frames.last else { break }
            peer.send(6, flags: 1, ping.payload)
            peer.frames = []
        }
        #expect(peer.closure == nil)
    }

    @Test("P-10 an idle connection gets a PING after an hour, a busy one never")
    func idlePing() {
        var peer = Peer.warm()
        peer.tick(after: .minutes(59))
        #expect(peer.frames.isEmpty)
        peer.tick(after: .minutes(1))
        #expect(peer.frames.map(\.kind) == [6])

        var busy = Peer.warm()
        for slice in 0..<100 {
            busy.offer(1, slice: 10 + slice)
            busy.tick(after: .seconds(1))
            busy.answerAll()
        }
        #expect(busy.frames.isEmpty)
    }
}

extension ConnectionClosure {
    static let shutDownForTest = ConnectionClosure(.drained)

    static func goAwayWithoutReason(code: UInt32) -> ConnectionClosure {
        ConnectionClosure(.goAway, code: code)
    }
}
