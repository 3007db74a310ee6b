import ApplePush
import ApplePushConnection
import NIOCore
import Testing

struct ViolationTests {
    /// A frame no server may send, and the HTTP/2 code it is answered with.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var kind: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []
        var code: UInt32
    }

    static let cases = [
        Case(testDescription: "data without a stream", kind: 0, payload: [1], code: 1),
        Case(testDescription: "data on an idle stream", kind: 0, stream: 99, payload: [1], code: 1),
        Case(testDescription: "data on a stream of the server's", kind: 0, stream: 2, payload: [1], code: 1),
        Case(testDescription: "padding longer than the data", kind: 0, flags: 8, stream: 3, payload: [9, 1], code: 1),
        Case(testDescription: "padded data without a length", kind: 0, flags: 8, stream: 3, code: 6),
        Case(testDescription: "headers without a stream", kind: 1, flags: 4, payload: [0x88], code: 1),
        Case(testDescription: "headers on an idle stream", kind: 1, flags: 4, stream: 99, payload: [0x88], code: 1),
        Case(
            testDescription: "headers too short for a priority",
            kind: 1,
            flags: 0x24,
            stream: 3,
            payload: [1],
            code: 6
        ),
        Case(testDescription: "an index outside the table", kind: 1, flags: 5, stream: 3, payload: [0xFE], code: 9),
        Case(testDescription: "a literal cut short", kind: 1, flags: 5, stream: 3, payload: [0x40, 5, 1], code: 9),
        Case(testDescription: "an endless integer", kind: 1, flags: 5, stream: 3, payload: [0xFF] + endless, code: 9),
        Case(testDescription: "a continuation of nothing", kind: 9, flags: 4, stream: 3, payload: [0x88], code: 1),
        Case(testDescription: "a priority without a stream", kind: 2, payload: [0, 0, 0, 0, 0], code: 1),
        Case(testDescription: "a reset without a stream", kind: 3, payload: [0, 0, 0, 0], code: 1),
        Case(testDescription: "a reset of an idle stream", kind: 3, stream: 99, payload: [0, 0, 0, 0], code: 1),
        Case(testDescription: "a reset of a wrong length", kind: 3, stream: 3, payload: [0, 0, 0], code: 6),
        Case(testDescription: "settings on a stream", kind: 4, stream: 3, code: 1),
        Case(testDescription: "settings of a wrong length", kind: 4, payload: [0, 3, 0, 0, 0], code: 6),
        Case(testDescription: "an acknowledgement with content", kind: 4, flags: 1, payload: [0], code: 6),
        Case(testDescription: "settings that enable push", kind: 4, payload: [0, 2, 0, 0, 0, 1], code: 1),
        Case(testDescription: "a frame size too small", kind: 4, payload: [0, 5, 0, 0, 0, 1], code: 1),
        Case(testDescription: "a frame size too large", kind: 4, payload: [0, 5, 255, 0, 0, 0], code: 1),
        Case(testDescription: "an initial window too large", kind: 4, payload: [0, 4, 128, 0, 0, 0], code: 3),
        Case(testDescription: "a push promise", kind: 5, flags: 4, stream: 3, payload: [0, 0, 0, 2], code: 1),
        Case(
            testDescription: "a ping on a stream",
            kind: 6,
            stream: 3,
            payload: Array(repeating: 0, count: 8),
            code: 1
        ),
        Case(testDescription: "a ping of a wrong length", kind: 6, payload: [1, 2, 3], code: 6),
        Case(
            testDescription: "a goaway on a stream",
            kind: 7,
            stream: 3,
            payload: Array(repeating: 0, count: 8),
            code: 1
        ),
        Case(testDescription: "a goaway too short", kind: 7, payload: [0, 0, 0, 0], code: 6),
        Case(testDescription: "a window update of a wrong length", kind: 8, payload: [0, 0, 1], code: 6),
        Case(
            testDescription: "a window update of an idle stream",
            kind: 8,
            stream: 99,
            payload: [0, 0, 0, 1],
            code: 1
        ),
        Case(
            testDescription: "a frame too long",
            kind: 0,
            stream: 3,
            payload: Array(repeating: 0, count: 16_385),
            code: 6
        ),
    ]

    private static let endless = Array(repeating: UInt8(0xFF), count: 12)

    @Test("A violation closes the connection with the RFC's code, and everything gets its outcome", arguments: cases)
    func violation(_ frame: Case) {
        var peer = Peer.warm(streams: 1)
        peer.offer(2, slice: 1)
        peer.send(frame.kind, flags: frame.flags, stream: frame.stream, frame.payload)

        #expect(peer.closure?.cause == .protocolViolation && peer.closure?.code == frame.code)
        #expect(peer.closure?.detail.isEmpty == false)
        #expect(peer.frames.last?.kind == 7 && peer.frames.last?.payload.suffix(4) == Peer.bytes(frame.code)[...])
        #expect(peer.outcomes(1) == [.unknown(.connectionLost), .notSent(.connectionLost)])
    }

    @Test("A server that begins without SETTINGS is disconnected", arguments: [0, 1, 3, 6, 7, 8, 0xFA])
    func noSettings(kind: UInt8) {
        var peer = Peer()
        peer.send(kind, stream: 0, Array(repeating: 0, count: 8))
        #expect(peer.closure?.code == 1)
    }

    @Test("A server with HTTP/1.1 is disconnected")
    func http1() {
        var peer = Peer()
        peer.machine.receive(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"), at: peer.now)
        peer.exchange()
        #expect(peer.closure?.cause == .protocolViolation)
    }

    @Test("No frame may be between a header block and its continuation")
    func interruptedBlock() {
        for (kind, stream) in [(UInt8(6), UInt32(0)), (9, 5), (1, 3), (0, 3)] {
            var peer = Peer.warm(streams: 1)
            peer.offer(1, slice: 1)
            peer.send(1, flags: 1, stream: 3, [0x88])
            peer.send(kind, flags: kind == 6 ? 0 : 4, stream: stream, Array(repeating: 0, count: 8))
            #expect(peer.closure?.code == 1)
        }
    }

    @Test("An endless header block is cut off")
    func endlessBlock() {
        for piece in [[], [UInt8](repeating: 0x88, count: 1000)] {
            var peer = Peer.warm(streams: 1)
            peer.offer(1, slice: 1)
            peer.send(1, flags: 1, stream: 3, [])
            for _ in 0..<64 where peer.closure == nil { peer.send(9, stream: 3, piece) }
            #expect(peer.closure?.code == 11)
        }
    }

    @Test("A flood of frames without effect closes the connection", arguments: [0, 2, 3, 4, 6, 8, 0xFA])
    func floods(kind: UInt8) {
        var peer = Peer.warm(streams: 1)
        peer.offer(1, slice: 1)
        peer.answerAll()
        let payloads: [UInt8: [UInt8]] = [2: [0, 0, 0, 0, 1], 3: [0, 0, 0, 0], 8: [0, 0, 0, 1]]
        let payload = payloads[kind] ?? [UInt8](repeating: 0, count: kind == 6 ? 8 : 0)
        let stream: UInt32 = kind == 4 || kind == 6 ? 0 : 3
        var count = 0
        while peer.closure == nil, count < 20_000 {
            peer.send(kind, stream: stream, payload)
            count += 1
        }
        #expect(peer.closure?.code == 11 && count > 9_000)
    }

    @Test("The same frames, a thousand a second, are tolerated")
    func noFlood() {
        var peer = Peer.warm()
        for _ in 0..<12 {
            for _ in 0..<1000 { peer.send(6, Array(repeating: 7, count: 8)) }
            peer.tick(after: .seconds(1))
        }
        #expect(peer.closure == nil)
        #expect(
            peer.frames.count { $0.kind == 6 && $0.flags == 1 && $0.payload == Array(repeating: 7, count: 8) } == 12_000
        )
    }

    @Test("SETTINGS are acknowledged, unknown settings and frames ignored")
    func unknownThings() {
        var peer = Peer.warm()
        peer.send(settings: [(99, 5), (3, 10)])
        #expect(peer.frames == [Peer.Frame(kind: 4, flags: 1, stream: 0, payload: [])])
        peer.send(0xFA, flags: 0xFF, stream: 12, [1, 2, 3])
        peer.send(2, stream: 3, [0, 0, 0, 0, 1])
        #expect(peer.closure == nil && peer.machine.streamLimit == 10)
    }

    @Test("Random bytes at most close the connection", arguments: 0..<50)
    func randomBytes(seed: UInt64) {
        var random = SplitMix(state: seed)
        var peer = Peer.warm(streams: 20)
        peer.offer(30, slice: 1)
        for _ in 0..<400 where peer.closure == nil {
            let kind = UInt8.random(in: 0...10, using: &random)
            let length = [0, 4, 5, 6, 8, 12, 40].randomElement(using: &random) ?? 0
            let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) & 0x8F }
            let stream = UInt32.random(in: 0...45, using: &random)
            peer.send(kind, flags: UInt8.random(in: 0...63, using: &random) & 0x2D, stream: stream, payload)
            peer.requests = []
        }
        peer.machine.disconnected()
        peer.events += peer.machine.takeEvents()
        #expect(peer.outcomes(1)?.count == 30 && peer.closure != nil)
    }
}

/// A small generator with a seed, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
