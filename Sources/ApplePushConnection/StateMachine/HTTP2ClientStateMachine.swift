package import NIOCore

/// Our side of one HTTP/2 connection to APNs (RFC 9113), as a value without socket, clock or `async`.
///
/// Bytes that came, slices of notifications, and the time go in; bytes to send and events come out. The rules it guards:
/// - one stream until the first answer, then as many as the other side allows at the moment, and never more;
/// - nothing is sent that flow control does not allow, neither on a stream nor on the connection;
/// - a notification has exactly one outcome; it is ``Outcome/unknown(_:)`` only if the whole request left us;
/// - no resource grows with what the other side sends: a peer that breaks a rule or floods us loses the connection.
package struct HTTP2ClientStateMachine {
    /// What may be different from connection to connection.
    package struct Configuration: Sendable {
        /// The value of `:authority`.
        package var authority: String
        /// How many streams we use at most, whatever the other side allows.
        package var maximumStreams = 1000
        /// Whether to begin with one stream, as Apple demands where a provider token speaks for the sender.
        package var startsWithOneStream = true
        /// After how many requests to give the connection up for a new one; `nil` for never.
        package var maximumRequests: Int?
        /// After how long without any use to ask whether the other side is still there.
        package var idlePing = TimeAmount.hours(1)
        /// After how long without a byte to ask, while answers are awaited.
        package var silence = TimeAmount.seconds(5)
        /// How long to wait for a byte after asking.
        package var pingTimeout = TimeAmount.seconds(5)
        /// The first stream's id, odd.
        ///
        /// Tests start near the last one.
        package var firstStreamID: UInt32 = 1

        package init(authority: String) {
            self.authority = authority
        }
    }

    /// What the owner of the connection has to know.
    package enum Event: Hashable, Sendable {
        /// Every member of a slice has its outcome, in order.
        case finished(BatchSlice.ID, [Outcome])
        /// The connection takes no more slices; what it had not sent has come back as ``Outcome/notSent(_:)``.
        case draining(ConnectionClosure)
        /// The connection is over: write what is left, then close it.
        case closed(ConnectionClosure)
    }

    enum Phase {
        case idle
        case open
        /// No new streams; it closes when the last answer has come.
        case draining(ConnectionClosure)
        case closed
    }

    /// How many streams are reset in one go.
    ///
    /// More at once look like an attack to a server (CVE-2023-44487), so the rest is left to be answered unheard.
    static let resetLimit = 100
    /// How many of that rest are reset at each tick after all, for some servers never answer them.
    static let lateResetLimit = 25

    let configuration: Configuration
    var phase = Phase.idle
    var settings = RemoteSettings()
    var encoder: RequestHeaderEncoder
    var decoder = AnswerHeaderDecoder()
    var streams: StreamTable
    var slices = BatchSliceTable()
    var events: [Event] = []

    /// Frames of ours that are no requests: acknowledgements, resets, window updates.
    var control = ByteBuffer()
    /// The beginning of a frame whose end has not come yet.
    var unread = ByteBuffer()
    /// The stream and what has come of a header block that goes on in CONTINUATION.
    var openBlock: OpenBlock?
    var hasSettings = false
    var hasAnswer = false
    var requestCount = 0

    /// What flow control lets us send on the whole connection.
    var sendWindow = 65_535
    /// What the other side may still send us, and what it has sent since we last gave it more.
    var receiveWindow = 65_535
    var consumed = 0
    /// The slots of streams whose body waits for flow control, oldest first.
    var blocked = CircularBuffer<Int>()

    var resets = 0
    /// Streams that nobody waits for any more.
    var orphans = 0
    /// Frames that brought nothing, less those that did: what a flood is made of.
    var noise = 0
    var lastHeard = NIODeadline.uptimeNanoseconds(0)
    var pingSent: NIODeadline?
    /// How long answers took.
    package internal(set) var latency = LatencyHistogram()

    struct OpenBlock {
        var stream: UInt32
        var endsStream: Bool
        var fragments: [UInt8]
        var frames = 1
    }

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        encoder = RequestHeaderEncoder(authority: configuration.authority)
        streams = StreamTable(firstID: configuration.firstStreamID)
    }
}

// MARK: - What its owner does with it

extension HTTP2ClientStateMachine {
    /// Whether it takes slices.
    package var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    /// How many streams may be open now.
    package var streamLimit: Int {
        let allowed = min(settings.maximumStreams ?? configuration.maximumStreams, configuration.maximumStreams)
        let isProven = configuration.startsWithOneStream ? hasAnswer : hasSettings
        return isProven ? allowed : min(allowed, 1)
    }

    /// How many streams are open now.
    package var streamCount: Int { streams.count }

    /// Notes the time, from which the latency of what is written next is counted.
    package mutating func look(at now: NIODeadline) {
        streams.clock = UInt32(truncatingIfNeeded: now.uptimeNanoseconds >> 10)
    }

    /// Hands over what has happened since the last call.
    package mutating func takeEvents() -> [Event] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    /// The network connection stands, TLS and all.
    package mutating func connected(at now: NIODeadline) {
        guard case .idle = phase else { return }
        phase = .open
        lastHeard = now
        look(at: now)
        control.writeBytes(Frame.preface)
        // ENABLE_PUSH 0, MAX_HEADER_LIST_SIZE: all else stays at the RFC's defaults.
        control.writeFrameHeader(length: 12, kind: Frame.Kind.settings)
        control.writeInteger(UInt16(2))
        control.writeInteger(UInt32(0))
        control.writeInteger(UInt16(6))
        control.writeInteger(UInt32(AnswerHeaderDecoder.listLimit))
    }

    /// Takes a slice to send.
    ///
    /// A connection that takes none gives it back at once.
    package mutating func offer(_ slice: BatchSlice) {
        switch phase {
        case .open, .idle:
            slices.add(slice)
            if slice.count == 0, let slot = slices.queue.last { finishSliceIfDone(slot) }
        case .draining, .closed:
            let outcomes = [Outcome](repeating: .notSent(.connectionLost), count: slice.count)
            events.append(.finished(slice.id, outcomes))
        }
    }

    /// Ends a slice early: what was not sent stays unsent, what was sent is reset and its answer unknown.
    package mutating func cancel(_ id: BatchSlice.ID) {
        if let slot = slices.used.first(where: { slices[$0]?.slice.id == id }) { abandon(slot, .cancelled) }
    }

    /// Takes no more slices, gives back what was not sent, and closes when the last answer has come.
    package mutating func drain(_ closure: ConnectionClosure) {
        switch phase {
        case .idle: close(closure, code: nil)
        case .open:
            phase = .draining(closure)
            events.append(.draining(closure))
            giveBackUnsent(closure.cause == .goAway ? .goAway : .connectionLost)
            closeIfDrained()
        case .draining, .closed: break
        }
    }

    /// The network connection is gone, or never came to stand.
    package mutating func disconnected(detail: String = "") {
        switch phase {
        case .draining(let closure): close(closure, code: nil)
        case .idle: close(ConnectionClosure(.connectFailed, detail: detail), code: nil)
        case .open: close(ConnectionClosure(.lost, detail: detail), code: nil)
        case .closed: break
        }
    }

    /// Looks at deadlines and at the silence of the other side; call it about once a second.
    package mutating func tick(_ now: NIODeadline) {
        switch phase {
        case .closed, .idle: return
        case .open, .draining: break
        }
        look(at: now)
        noise = 0
        resets = 0
        for slot in slices.used where slices[slot].map({ $0.slice.deadline <= now }) == true {
            abandon(slot, .deadlinePassed)
        }
        // The last deadline may have been what a draining connection waited for.
        if case .closed = phase { return }
        if orphans > 0 { resetOrphans() }
        checkSilence(now)
    }
}
