package import NIOCore

/// The client side of one HTTP/2 connection to APNs (RFC 9113), as a value without socket, clock or `async`.
///
/// Inputs are received bytes, slices of notifications, and the time; outputs are bytes to send and events. Invariants:
/// - one stream until the first answer, then at most as many as the peer currently allows;
/// - nothing is sent beyond flow control, neither on a stream nor on the connection;
/// - a notification has exactly one outcome; it is ``Outcome/unknown(_:)`` only if the whole request was sent;
/// - no resource grows with the peer's input: a peer that violates the protocol or floods us loses the connection.
package struct HTTP2ClientStateMachine {
    /// Options of a connection.
    package struct Configuration: Sendable {
        /// The value of `:authority`.
        package var authority: String
        /// Maximum number of streams used, whatever the peer allows.
        package var maximumStreams = 1000
        /// Whether to begin with one stream, as Apple requires with provider tokens.
        package var startsWithOneStream = true
        /// After how many requests to give the connection up for a new one; `nil` for never.
        package var maximumRequests: Int?
        /// After this idle time a PING is sent.
        package var idlePing = TimeAmount.hours(1)
        /// After this time without a byte, while answers are awaited, a PING is sent.
        package var silence = TimeAmount.seconds(5)
        /// How long to wait for a byte after a PING.
        package var pingTimeout = TimeAmount.seconds(5)
        /// The first stream's id, odd.
        ///
        /// Tests begin near the last one.
        package var firstStreamID: UInt32 = 1

        package init(authority: String) {
            self.authority = authority
        }
    }

    /// An event for the connection's owner.
    package enum Event: Hashable, Sendable {
        /// Every member of a slice has its outcome, in order.
        case finished(BatchSlice.ID, [Outcome])
        /// The connection accepts no more slices; unsent notifications were returned as ``Outcome/notSent(_:)``.
        case draining(ConnectionClosure)
        /// The connection has ended: write pending bytes, then close it.
        case closed(ConnectionClosure)
    }

    enum Phase {
        case idle
        case open
        /// No new streams; it closes after the last answer.
        case draining(ConnectionClosure)
        case closed
    }

    /// Maximum number of streams reset at once.
    ///
    /// More look like an attack to a server (CVE-2023-44487), so the answers of the others are ignored.
    static let resetLimit = 100
    /// How many of those others are reset at each tick, because some servers never answer them.
    static let lateResetLimit = 25

    let configuration: Configuration
    var phase = Phase.idle
    var settings = RemoteSettings()
    var encoder: HeaderBlockEncoder
    var decoder = AnswerHeaderDecoder()
    var streams: StreamTable
    var slices = BatchSliceTable()
    var events: [Event] = []

    /// Control frames to send: acknowledgements, resets, window updates.
    var control = ByteBuffer()
    /// The beginning of an incomplete frame.
    var unread = ByteBuffer()
    /// An incomplete header block, continued in CONTINUATION.
    var openBlock: OpenBlock?
    var hasSettings = false
    var hasAnswer = false
    var requestCount = 0

    /// The send window of the connection.
    var sendWindow = 65_535
    /// The receive window of the connection, and the bytes received since the last WINDOW_UPDATE.
    var receiveWindow = 65_535
    var consumed = 0
    /// The slots of streams whose body waits for flow control, oldest first.
    var blocked = CircularBuffer<Int>()

    var resets = 0
    /// Number of streams that nobody waits for any more.
    var orphans = 0
    /// Frames without effect, less those with one, to detect a flood.
    var noise = 0
    var lastHeard = NIODeadline.uptimeNanoseconds(0)
    var pingSent: NIODeadline?
    /// The latency of answers.
    package internal(set) var latency = LatencyHistogram()

    struct OpenBlock {
        var stream: UInt32
        var endsStream: Bool
        var fragments: [UInt8]
        var frames = 1
    }

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        encoder = HeaderBlockEncoder(authority: configuration.authority)
        streams = StreamTable(firstID: configuration.firstStreamID)
    }
}

// MARK: - What its owner does with it

extension HTTP2ClientStateMachine {
    /// Whether it accepts slices.
    package var isOpen: Bool {
        if case .open = phase { true } else { false }
    }

    /// The current limit of concurrent streams.
    package var streamLimit: Int {
        let allowed = min(settings.maximumStreams ?? configuration.maximumStreams, configuration.maximumStreams)
        let isProven = configuration.startsWithOneStream ? hasAnswer : hasSettings
        return isProven ? allowed : min(allowed, 1)
    }

    /// The number of open streams.
    package var streamCount: Int { streams.count }

    /// Records the time, which starts the latency of the requests written next.
    package mutating func look(at now: NIODeadline) {
        streams.clock = UInt32(truncatingIfNeeded: now.uptimeNanoseconds >> 10)
    }

    /// Removes and returns the events since the last call.
    package mutating func takeEvents() -> [Event] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    /// Records that the network connection is open, including TLS.
    package mutating func connected(at now: NIODeadline) {
        guard case .idle = phase else { return }
        phase = .open
        lastHeard = now
        look(at: now)
        control.writeBytes(Frame.preface)
        // ENABLE_PUSH 0, MAX_HEADER_LIST_SIZE; all others have the RFC's defaults.
        control.writeFrameHeader(length: 12, kind: Frame.Kind.settings)
        control.writeInteger(UInt16(2))
        control.writeInteger(UInt32(0))
        control.writeInteger(UInt16(6))
        control.writeInteger(UInt32(AnswerHeaderDecoder.listLimit))
    }

    /// Accepts a slice to send.
    ///
    /// A closed or draining connection returns it at once.
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

    /// Cancels a slice: unsent members stay unsent, sent ones are reset and have an unknown outcome.
    package mutating func cancel(_ id: BatchSlice.ID) {
        if let slot = slices.used.first(where: { slices[$0]?.slice.id == id }) { abandon(slot, .cancelled) }
    }

    /// Accepts no more slices, returns unsent notifications, and closes after the last answer.
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

    /// Records that the network connection is closed, or could not be made.
    package mutating func disconnected(detail: String = "") {
        switch phase {
        case .draining(let closure): close(closure, code: nil)
        case .idle: close(ConnectionClosure(.connectFailed, detail: detail), code: nil)
        case .open: close(ConnectionClosure(.lost, detail: detail), code: nil)
        case .closed: break
        }
    }

    /// Checks deadlines and the silence of the peer; call it about once a second.
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
        // A draining connection may have waited only for the last deadline.
        if case .closed = phase { return }
        if orphans > 0 { resetOrphans() }
        checkSilence(now)
    }
}
