import ApplePush
import ApplePushConnection
import NIOCore
import Testing

/// What property tests and the fuzzer found, and rules that a hostile server might use against us.
struct HostilePeerTests {
    private let accepted = Outcome.accepted(uniqueID: nil)

    /// A connection with one request whose body has not left in full.
    private func halfSent() -> (peer: Peer, stream: UInt32) {
        var peer = Peer.warm(streams: 10)
        peer.send(settings: [(4, 10)])
        peer.offer(1, slice: 1)
        #expect(peer.requests.count == 1 && peer.requests.first?.isEnded == false)
        return (peer, peer.requests.first?.stream ?? 0)
    }

    @Test("All delayed bodies are sent when the windows open, however many there are")
    func manyHeldBodies() {
        var peer = Peer.warm(streams: 200)
        peer.send(settings: [(4, 0)])
        peer.offer(200, slice: 1)
        peer.send(settings: [(4, 65_535)])
        #expect(peer.requests.count == 200 && peer.requests.allSatisfy(\.isEnded))
        peer.answerAll()
        #expect(peer.outcomes(1) == Array(repeating: accepted, count: 200))
    }

    @Test("P-28 a malformed answer to half a request leaves it unsent: it cannot have been processed")
    func brokenAnswerToHalf() {
        var (peer, stream) = halfSent()
        peer.send(0, flags: 1, stream: stream, [1])
        #expect(peer.frames.last == Peer.Frame(kind: 3, flags: 0, stream: stream, payload: [0, 0, 0, 1]))
        #expect(peer.outcomes(1) == [.notSent(.reset)])
    }

    @Test("P-28 an incomplete answer to half a request leaves it unknown", arguments: [0, 3, 7, 8])
    func begunAnswerToHalf(end: UInt8) {
        var (peer, stream) = halfSent()
        peer.send(1, flags: 4, stream: stream, [0x8C])
        switch end {
        case 0: peer.machine.disconnected()
        case 3: peer.machine.cancel(BatchSlice.ID(rawValue: 1))
        case 7: peer.goAway(last: 0)
        default: peer.widen(stream: stream, by: 0)
        }
        peer.events += peer.machine.takeEvents()
        let failures: [UInt8: Failure] = [0: .connectionLost, 3: .cancelled, 7: .goAway, 8: .malformedAnswer]
        #expect(peer.outcomes(1) == failures[end].map { [.unknown($0)] })
    }

    @Test(
        "A malformed answer does not count",
        arguments: [
            [(":status", "+20")], [(":status", "0200")], [(":status", "20")], [(":status", "101")],
            [(":status", "9999")],
            [("x-before", "1"), (":status", "200")], [(":status", "200"), (":status", "200")],
            [(":status", "200"), (":path", "/")], [(":status", "200"), ("X-Upper", "1")],
            [(":status", "200"), ("a b", "1")], [("x-only", "1")], [(":path", "/")],
        ]
    )
    func malformedHead(_ fields: [(String, String)]) {
        var peer = Peer.warm(streams: 2)
        peer.offer(1, slice: 1)
        peer.send(1, flags: 5, stream: 3, peer.block(fields))
        #expect(peer.outcomes(1) == [.unknown(.malformedAnswer)] && peer.closure == nil)
    }

    @Test("Trailers have no status, and other blocks are ignored")
    func trailers() {
        var peer = Peer.warm(streams: 2)
        peer.offer(2, slice: 1)
        for stream in [UInt32(3), 5] { peer.send(1, flags: 4, stream: stream, [0x88]) }
        peer.send(1, flags: 5, stream: 3, peer.block([("x-trailer", "1")]))
        peer.send(1, flags: 5, stream: 5, [0x88])
        #expect(peer.outcomes(1) == [accepted, .unknown(.malformedAnswer)])
    }

    @Test("P-43 an apns-unique-id with unsafe characters is not stored", arguments: ["a\r\nb", "", "ä", "a b"])
    func uniqueID(_ value: String) {
        var peer = Peer.warm(streams: 2)
        peer.offer(1, slice: 1)
        peer.send(1, flags: 5, stream: 3, peer.block([(":status", "200"), ("apns-unique-id", value)]))
        #expect(peer.outcomes(1) == [accepted])
    }

    @Test("The smallest table size is announced even if one SETTINGS frame raises it again")
    func tableSizes() {
        var peer = Peer.warm(streams: 2)
        peer.send(settings: [(1, 0), (1, 4096)])
        var out = ByteBuffer()
        peer.machine.offer(
            BatchSlice(
                id: .init(rawValue: 1),
                batch: Sample.batch(1),
                members: .run(0..<1),
                token: Sample.token,
                deadline: .distantFuture
            )
        )
        _ = peer.machine.write(into: &out, limit: 10_000)
        #expect(Array(out.readableBytesView.dropFirst(9).prefix(4)) == [0x20, 0x3F, 0xE1, 0x1F])
    }

    @Test("A PRIORITY frame with a wrong length ends only its stream")
    func shortPriority() {
        var peer = Peer.warm(streams: 2)
        peer.offer(2, slice: 1)
        peer.send(2, stream: 3, [0, 0])
        peer.send(2, stream: 1, [0, 0])
        peer.requests.removeFirst()
        peer.answerAll()
        #expect(peer.frames.contains(Peer.Frame(kind: 3, flags: 0, stream: 3, payload: [0, 0, 0, 6])))
        #expect(peer.outcomes(1) == [.unknown(.malformedAnswer), accepted])
    }

    @Test(
        "A peer that sends requests without reading does not fill our memory",
        arguments: [(6, 8), (4, 0)] as [(UInt8, Int)]
    )
    func unreadAnswers(kind: UInt8, length: Int) {
        var peer = Peer.warm()
        let frame = [0, 0, UInt8(length), kind, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: length)
        let frames = ByteBuffer(bytes: (0..<500).flatMap { _ in frame })
        // A clock that ticks forgives what came before it; what waits to be written stays.
        for _ in 0..<100 {
            peer.machine.receive(frames, at: peer.now)
            peer.machine.tick(peer.now)
        }
        #expect(peer.machine.takeEvents().count { if case .closed = $0 { true } else { false } } == 1)
        var out = ByteBuffer()
        _ = peer.machine.write(into: &out, limit: 1_000_000)
        #expect((100_000...200_000).contains(out.readableBytes))
    }

    @Test("P-37 streams that nobody waits for are reset a few at a time, and do not delay a drain")
    func orphans() {
        var peer = Peer.warm(streams: 300)
        peer.widen(by: 1_000_000)
        peer.offer(300, slice: 1, deadline: peer.now + .seconds(1))
        peer.tick(after: .seconds(1))
        #expect(peer.outcomes(1) == Array(repeating: .unknown(.deadlinePassed), count: 300))
        #expect(peer.frames.count { $0.kind == 3 } == 125 && peer.machine.streamCount == 175)
        peer.requests = []
        peer.offer(300, slice: 2, deadline: peer.now + .hours(1))
        for _ in 0..<7 { peer.tick(after: .milliseconds(250)) }
        #expect(peer.frames.count { $0.kind == 3 } == 300 && peer.requests.count == 300)
        peer.answerAll()
        #expect(peer.outcomes(2) == Array(repeating: accepted, count: 300))

        peer.offer(300, slice: 3, deadline: peer.now + .seconds(1))
        peer.goAway(last: 0x7FFF_FFFF)
        #expect(peer.closure == nil)
        peer.tick(after: .seconds(1))
        #expect(peer.closure?.cause == .goAway)
    }

    @Test("Nothing is sent after GOAWAY, including PING")
    func silenceAfterGoodbye() {
        var peer = Peer.warm()
        peer.offer(1, slice: 1, deadline: peer.now + .seconds(1))
        peer.goAway(last: 0x7FFF_FFFF)
        peer.tick(after: .seconds(60))
        #expect(peer.closure?.cause == .goAway && peer.frames.last?.kind == 7)
    }

    @Test("P-40 unknown frames and reserved bits are ignored")
    func reservedBits() {
        var peer = Peer.warm(streams: 2)
        peer.offer(1, slice: 1)
        peer.send(8, stream: 0x8000_0003, [0x80, 0, 0, 1])
        peer.send(0x42, flags: 0xFF, stream: 0x8000_0063, [1, 2, 3])
        peer.send(1, flags: 5, stream: 0x8000_0003, [0x88])
        #expect(peer.closure == nil && peer.outcomes(1) == [accepted])
    }
}
