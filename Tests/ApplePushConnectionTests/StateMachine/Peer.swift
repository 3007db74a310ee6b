import ApplePush
import ApplePushConnection
import CarillonBytes
import Foundation
import NIOCore
import NIOHPACK
import Testing

/// APNs' side of a connection, written by hand: it reads what the state machine sends and answers with frames.
///
/// Headers go through swift-nio-http2's HPACK, so that our encoder is never judged by itself.
struct Peer {
    /// A frame as the state machine wrote it.
    struct Frame: Equatable {
        var kind: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]

        /// The first four bytes, as a number.
        var number: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    struct Request: Equatable {
        var stream: UInt32
        var headers: [String]
        var body: [UInt8] = []
        var isEnded = false
        var headerBytes = 0

        subscript(name: String) -> String? {
            headers.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    var machine: HTTP2ClientStateMachine
    var now = NIODeadline.uptimeNanoseconds(1_000_000_000)
    /// What came since the last look, apart from HEADERS and DATA.
    var frames: [Frame] = []
    /// What came and was not answered yet, in order.
    var requests: [Request] = []
    var events: [HTTP2ClientStateMachine.Event] = []
    /// Every id seen, to catch a notification that goes out twice.
    var seenIDs: [String] = []
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    private var hasPreface = false

    /// A connection that has sent its preface; the peer has said nothing yet.
    init(_ change: (inout HTTP2ClientStateMachine.Configuration) -> Void = { _ in }) {
        var configuration = HTTP2ClientStateMachine.Configuration(authority: "api.push.apple.com")
        change(&configuration)
        machine = HTTP2ClientStateMachine(configuration)
        machine.connected(at: now)
        exchange()
    }

    /// A connection on which the peer allows `streams` and has answered one request.
    static func warm(
        streams: UInt32 = 1000,
        _ change: (inout HTTP2ClientStateMachine.Configuration) -> Void = { _ in }
    ) -> Peer {
        var peer = Peer(change)
        peer.send(settings: [(3, streams)])
        peer.offer(1, slice: 0)
        peer.answer(peer.requests[0].stream)
        peer.frames = []
        peer.events = []
        return peer
    }

    // MARK: Our side

    mutating func offer(_ count: Int, slice: Int, deadline: NIODeadline = .distantFuture, batch: PushBatch? = nil) {
        let batch = batch ?? Sample.batch(count)
        machine.offer(
            BatchSlice(
                id: .init(rawValue: slice),
                batch: batch,
                members: .run(0..<count),
                token: Sample.token,
                deadline: deadline
            )
        )
        exchange()
    }

    mutating func tick(after amount: TimeAmount) {
        now = now + amount
        machine.tick(now)
        exchange()
    }

    /// The outcomes of a slice, if it is finished.
    func outcomes(_ slice: Int) -> [Outcome]? {
        let found = events.compactMap { event -> [Outcome]? in
            if case .finished(let id, let outcomes) = event, id.rawValue == slice { outcomes } else { nil }
        }
        #expect(found.count <= 1, "a slice is finished once")
        return found.first
    }

    var closure: ConnectionClosure? {
        events.lazy.compactMap { if case .closed(let closure) = $0 { closure } else { nil } }.first
    }

    var drainings: [ConnectionClosure] {
        events.compactMap { if case .draining(let closure) = $0 { closure } else { nil } }
    }

    // MARK: APNs' side

    mutating func send(
        _ kind: UInt8,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: [UInt8] = [],
        cutEvery size: Int? = nil
    ) {
        var bytes = Peer.bytes(UInt32(payload.count) << 8 | UInt32(kind)) + [flags] + Peer.bytes(stream) + payload
        while !bytes.isEmpty {
            let piece = bytes.prefix(size ?? bytes.count)
            machine.receive(ByteBuffer(bytes: piece), at: now)
            bytes.removeFirst(piece.count)
        }
        exchange()
    }

    mutating func send(settings: [(UInt16, UInt32)]) {
        send(4, settings.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] + Peer.bytes($1) })
    }

    mutating func block(_ headers: [(String, String)]) -> [UInt8] {
        var buffer = ByteBuffer()
        do {
            try encoder.encode(headers: HPACKHeaders(headers), to: &buffer)
        } catch {
            Issue.record(error)
        }
        return Array(buffer.readableBytesView)
    }

    mutating func answer(_ stream: UInt32, _ status: Int = 200, _ body: String = "", extra: [(String, String)] = []) {
        let id = requests.first { $0.stream == stream }?["apns-id"] ?? ""
        let head = block([(":status", String(status)), ("apns-id", id)] + extra)
        requests.removeAll { $0.stream == stream }
        send(1, flags: body.isEmpty ? 5 : 4, stream: stream, head)
        if !body.isEmpty { send(0, flags: 1, stream: stream, Array(body.utf8)) }
    }

    /// Answers everything, round by round, until nothing comes any more.
    mutating func answerAll() {
        while let request = requests.first(where: \.isEnded) { answer(request.stream) }
    }

    mutating func reset(_ stream: UInt32, _ code: UInt32) {
        requests.removeAll { $0.stream == stream }
        send(3, stream: stream, Peer.bytes(code))
    }

    mutating func goAway(last: UInt32, code: UInt32 = 0, _ text: String = "") {
        requests.removeAll { $0.stream > last }
        send(7, Peer.bytes(last) + Peer.bytes(code) + Array(text.utf8))
    }

    mutating func widen(stream: UInt32 = 0, by increment: UInt32) {
        send(8, stream: stream, Peer.bytes(increment))
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    // MARK: Reading

    /// Takes what the machine wants to send, and reads it.
    mutating func exchange() {
        var out = ByteBuffer()
        while machine.write(into: &out, limit: out.readableBytes + 4096) {}
        events += machine.takeEvents()
        if !hasPreface {
            #expect(out.readString(length: 24) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            hasPreface = true
        }
        while let high = out.readInteger(as: UInt32.self), let flags = out.readInteger(as: UInt8.self),
            let stream = out.readInteger(as: UInt32.self), let payload = out.readBytes(length: Int(high >> 8))
        {
            read(Frame(kind: UInt8(high & 255), flags: flags, stream: stream, payload: payload))
        }
        #expect(out.readableBytes == 0, "only whole frames are written")
    }

    private mutating func read(_ frame: Frame) {
        switch frame.kind {
        case 1: readHeaders(frame)
        case 0:
            guard let index = requests.firstIndex(where: { $0.stream == frame.stream }) else {
                Issue.record("data without headers")
                return
            }
            #expect(!requests[index].isEnded)
            requests[index].body += frame.payload
            requests[index].isEnded = frame.flags & 1 != 0
        default: frames.append(frame)
        }
    }

    private mutating func readHeaders(_ frame: Frame) {
        #expect(frame.flags == 4 && frame.payload.count <= 16_384)
        var buffer = ByteBuffer(bytes: frame.payload)
        do {
            let headers = try decoder.decodeHeaders(from: &buffer)
            let lines = headers.map { "\($0.name): \($0.value)" }
            requests.append(Request(stream: frame.stream, headers: lines, headerBytes: frame.payload.count))
            seenIDs.append(requests.last?["apns-id"] ?? "")
        } catch {
            Issue.record(error, "our header block must be readable")
        }
    }

    /// Obeys the table size we announced with a setting.
    mutating func limitDecoderTable(to size: Int) {
        decoder.maxDynamicTableLength = size
    }
}

/// What the tests send.
enum Sample {
    static let token = ProviderToken(rawValue: String(repeating: "aB3.", count: 48), keyID: "K", issuedAt: .distantPast)
    static let headers = RequestHeaders(topic: topic, pushType: .alert)
    static let topic: Topic = Topic(rawValue: "com.example.app") ?? { preconditionFailure("a topic") }()

    /// Notifications with different tokens, ids and slot bytes.
    static func batch(
        _ count: Int,
        bodyLength: Int = 160,
        tokenLength: Int = 32,
        headers: RequestHeaders = headers
    ) -> PushBatch {
        do {
            let slot = 10..<34
            let payload = try EncodedPayload(
                bytes: Array(repeating: UInt8(ascii: "x"), count: bodyLength),
                slot: bodyLength >= 34 ? slot : nil,
                limit: 100_000
            )
            return try PushBatch(
                headers: headers,
                payload: payload,
                tokens: ByteColumn((0..<count).map { tokenBytes($0, tokenLength) }),
                slots: payload.slot == nil ? [] : (0..<count).flatMap { slotBytes($0) },
                ids: (0..<count).map { _ in UUID() }
            )
        } catch {
            preconditionFailure("a sample batch is well formed: \(error)")
        }
    }

    static func tokenBytes(_ index: Int, _ length: Int = 32) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* 7) }
    }

    static func slotBytes(_ index: Int) -> [UInt8] {
        let text = String(index)
        return Array((String(repeating: "_", count: 24 - text.count) + text).utf8)
    }
}
