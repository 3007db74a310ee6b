import CNghttp2

/// An HTTP/2 connection on libnghttp2: bytes in, requests out; responses in, bytes out.
///
/// Has no I/O and no clock.
///
/// Belongs to one event loop. The library calls back only while it is given bytes.
///
/// The limit of concurrent streams is enforced here, not in the library: the library would close the connection of a
/// client that opens one stream too many, where Apple refuses that stream. So the library has a limit that nobody
/// reaches, and the real one is written into the outgoing SETTINGS frame.
final class HTTP2Session {
    enum Failure: Error {
        /// The library's session could not be created: out of memory.
        case unavailable
        /// A protocol error that ends the connection, with the library's code.
        case brokenProtocol(Int)
    }

    /// How many bytes of body a client may send after its response before the stream is reset.
    private static let surplusLimit = 1 << 20
    /// Far above what any configuration announces.
    private static let libraryStreamLimit: UInt32 = 1 << 30
    /// The text of Apple's GOAWAY to a client that opens too many streams.
    private static let violation = Array("Maximum active streams violated for this endpoint.".utf8)

    let session: OpaquePointer
    private let pool: HTTP2StreamPool
    private let holdsWindow: Bool
    private var open: [HTTP2Stream] = []
    private var current: HTTP2Stream?
    /// The complete requests that wait for validation, in order of completion.
    private(set) var taken: [HTTP2Stream] = []
    private(set) var streamLimit: UInt32
    private(set) var counts = StreamCounts()
    /// The highest stream whose request was validated.
    var lastTaken: Int32 = 0
    /// The last stream named in GOAWAY.
    ///
    /// The library applies it only once the frame is written.
    private var lastAllowed = Int32.max
    /// The highest stream that was opened and not refused.
    private(set) var lastOpened: Int32 = 0
    /// What happens to streams above the limit.
    var refusal = ConnectionRules.Refusal.reset
    /// How many streams above the limit are still refused individually; nil for any number.
    var refusalsLeft: Int?
    /// Bytes of bodies without WINDOW_UPDATE, when that is left to the caller.
    private(set) var heldBytes = 0

    init(streamLimit: UInt32, rules: ConnectionRules, pool: HTTP2StreamPool) throws(Failure) {
        self.streamLimit = streamLimit
        self.pool = pool
        refusal = rules.refusal
        refusalsLeft = rules.refusalsBeforeGoAway
        holdsWindow = rules.windowDelay != nil
        session = try HTTP2Callbacks.makeSession(holdsWindow: holdsWindow)
        HTTP2Callbacks.bind(self)
        submitSettings([
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 4096),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 65_535),
            (NGHTTP2_SETTINGS_MAX_FRAME_SIZE, 16_384),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(IncomingRequest.headerListLimit)),
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, Self.libraryStreamLimit),
        ])
    }

    deinit {
        nghttp2_session_del(session)
        open.forEach { pool.give($0) }
    }

    // MARK: - Bytes

    /// Processes the client's bytes.
    ///
    /// Complete requests then wait for validation.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        let count = nghttp2_session_mem_recv(session, start, bytes.count)
        guard count >= 0 else { throw .brokenProtocol(count) }
    }

    /// Removes the requests that waited for validation; their streams may be closed.
    func finishTaken() {
        for stream in taken {
            stream.isWaiting = false
            if stream.isClosed {
                pool.give(stream)
            }
        }
        taken.removeAll(keepingCapacity: true)
    }

    /// Writes outgoing bytes frame by frame.
    func send(to write: (UnsafeBufferPointer<UInt8>) -> Void) throws(Failure) {
        while true {
            var start: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &start)
            guard count >= 0 else { throw .brokenProtocol(count) }
            guard count > 0, let start else { return }
            let frame = UnsafeBufferPointer(start: start, count: count)
            if isSettings(frame) {
                withPatchedSettings(frame, write)
            } else {
                write(frame)
            }
        }
    }

    /// Whether neither side has anything left to send.
    var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    var openStreams: Int { open.count }

    /// Whether GOAWAY was sent.
    var isLeaving: Bool { lastAllowed != .max }

    func collectCounts() -> StreamCounts {
        defer { counts = StreamCounts(peak: open.count) }
        return counts
    }

    /// The last counts of a connection that is gone: streams that were open are closed with it.
    func collectLastCounts() -> StreamCounts {
        var counts = collectCounts()
        counts.closed += open.count
        return counts
    }

    // MARK: - What the server says

    /// Announces a limit of concurrent streams to the client.
    func announce(streamLimit: UInt32) {
        guard streamLimit != self.streamLimit else { return }
        self.streamLimit = streamLimit
        submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, Self.libraryStreamLimit)])
    }

    func reset(_ stream: Int32, errorCode: UInt32) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode)
    }

    /// Resets the open streams without a response, except one.
    func resetStreams(errorCode: UInt32, sparing spared: HTTP2Stream? = nil) {
        for stream in open where !stream.isAnswered && stream !== spared {
            stream.isRefused = true
            stream.isTaken = true
            reset(stream.id, errorCode: errorCode)
        }
    }

    /// Sends GOAWAY: streams above the last one were not and will not be processed.
    func goAway(lastStream: Int32, _ goodbye: Goodbye) {
        goAway(lastStream: lastStream, errorCode: goodbye.errorCode, debug: goodbye.debug, count: goodbye.count)
    }

    private func goAway(lastStream: Int32, errorCode: UInt32, debug: [UInt8], count: Int) {
        lastAllowed = min(lastAllowed, lastStream)
        for _ in 0..<max(count, 1) {
            let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
            nghttp2_submit_goaway(session, flags, lastAllowed, errorCode, debug, debug.count)
        }
    }

    /// Whether GOAWAY does not exclude a request.
    func allows(_ stream: HTTP2Stream) -> Bool {
        stream.id <= lastAllowed
    }

    /// Sends WINDOW_UPDATE for some of the held bytes.
    func release(_ bytes: Int) {
        heldBytes -= bytes
        nghttp2_session_consume_connection(session, bytes)
    }

    /// The stream of an open request; nil when it was reset meanwhile.
    func stream(_ id: Int32) -> HTTP2Stream? {
        nghttp2_session_get_stream_user_data(session, id).map {
            Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - stream: The stream of the request.
    ///   - fields: The fields of the response, whose memory is used only during the call.
    ///   - body: The body; may be empty.
    func answer(_ stream: HTTP2Stream, fields: UnsafeBufferPointer<nghttp2_nv>, body: [UInt8]) {
        stream.isAnswered = true
        guard !body.isEmpty else {
            nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, nil)
            return
        }
        stream.answer = body[...]
        var provider = nghttp2_data_provider(source: nghttp2_data_source(), read_callback: HTTP2Callbacks.readAnswer)
        nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, &provider)
    }

    /// Releases the memory of a validated request whose stream stays open.
    func giveRequest(of stream: HTTP2Stream) { pool.giveRequest(of: stream) }

    // MARK: - Called back

    func begin(_ id: Int32) {
        guard open.count < Int(streamLimit) else {
            current = nil
            refuse(id)
            return
        }
        let stream = pool.acquire()
        stream.open(id: id)
        stream.place = open.count
        open.append(stream)
        current = stream
        lastOpened = id
        counts.opened += 1
        counts.peak = max(counts.peak, open.count)
        nghttp2_session_set_stream_user_data(session, id, Unmanaged.passUnretained(stream).toOpaque())
    }

    func field(of id: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let current, current.id == id, !current.isTaken else { return }
        if !current.request.appendField(name: name, value: value) {
            // More fields than SETTINGS allows; Apple's own answer is not known.
            current.isTaken = true
            reset(id, errorCode: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        }
    }

    func data(of id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        if holdsWindow {
            heldBytes += bytes.count
            nghttp2_session_consume_stream(session, id, bytes.count)
        }
        guard let stream = current?.id == id ? current : stream(id) else { return }
        guard !stream.isTaken else {
            stream.surplus += bytes.count
            if stream.surplus > Self.surplusLimit {
                reset(id, errorCode: NGHTTP2_NO_ERROR.rawValue)
            }
            return
        }
        stream.request.appendBody(bytes)
        if stream.request.bodyLength > IncomingRequest.bodyLimit {
            enqueue(stream)
        }
    }

    func end(of id: Int32) {
        guard let stream = current?.id == id ? current : stream(id), !stream.isTaken else { return }
        enqueue(stream)
    }

    func close(_ id: Int32) {
        guard let stream = stream(id) else { return }
        counts.closed += 1
        if current === stream {
            current = nil
        }
        let last = open.removeLast()
        if last !== stream {
            open[stream.place] = last
            last.place = stream.place
        }
        stream.isClosed = true
        if !stream.isWaiting {
            pool.give(stream)
        }
    }

    // MARK: - Private

    private func refuse(_ id: Int32) {
        counts.refused += 1
        refusalsLeft = refusalsLeft.map { $0 - 1 }
        guard refusal == .reset, (refusalsLeft ?? 0) >= 0 else {
            let code = NGHTTP2_REFUSED_STREAM.rawValue
            guard !isLeaving else { return }
            goAway(lastStream: lastOpened, errorCode: code, debug: Self.violation, count: 1)
            return
        }
        reset(id, errorCode: NGHTTP2_REFUSED_STREAM.rawValue)
    }

    private func enqueue(_ stream: HTTP2Stream) {
        stream.isTaken = true
        guard stream.id <= lastAllowed else { return }
        stream.isWaiting = true
        taken.append(stream)
    }
}
