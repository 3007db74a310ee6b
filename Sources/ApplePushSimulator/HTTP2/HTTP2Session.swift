import CNghttp2

/// One HTTP/2 connection on libnghttp2: bytes in, requests out; answers in, bytes out.
///
/// It knows no socket and no time.
///
/// Belongs to one event loop. The library calls back while it is given bytes, and never otherwise.
///
/// The limit of concurrent streams is kept here, not in the library: the library would close the connection of a
/// client that opens one stream too many, where Apple refuses that stream. So the library is told a limit that
/// nobody reaches, and the real one is written into the SETTINGS frame on its way out.
final class HTTP2Session {
    enum Failure: Error {
        /// The library could not be set up; it is out of memory.
        case unavailable
        /// The client broke the protocol so badly that the connection must end. Holds the library's code.
        case brokenProtocol(Int)
    }

    /// How many bytes of body a client may send after its answer before the stream is cut.
    private static let surplusLimit = 1 << 20

    /// Is given each request as soon as it is whole, or as its body is over the limit.
    private let received: (HTTP2Stream) -> Void
    private var session: OpaquePointer?
    private var streams: [HTTP2Stream] = []
    private var idle: [HTTP2Stream] = []
    private var current: HTTP2Stream?
    private(set) var openStreams = 0
    private(set) var streamLimit: UInt32
    private(set) var counts = StreamCounts()
    /// The highest stream that was handed on.
    private(set) var lastTaken: Int32 = 0
    /// The last stream named in GOAWAY.
    ///
    /// The library minds it only once the frame is on its way.
    private var lastAllowed = Int32.max
    /// The highest stream that was opened and not refused.
    private(set) var lastOpened: Int32 = 0

    init(streamLimit: UInt32, received: @escaping (HTTP2Stream) -> Void) throws(Failure) {
        self.streamLimit = streamLimit
        self.received = received
        var session: OpaquePointer?
        let callbacks = try HTTP2Callbacks.make()
        defer { nghttp2_session_callbacks_del(callbacks) }
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0 else { throw .unavailable }
        defer { nghttp2_option_del(option) }
        // Closed streams are kept for the priority tree otherwise, which Apple does not use.
        nghttp2_option_set_no_closed_streams(option, 1)
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_server_new2(&session, callbacks, context, option) == 0 else { throw .unavailable }
        self.session = session
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
    }

    // MARK: - Bytes

    /// Takes in what the client sent.
    ///
    /// Requests are handed on before this returns.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        let count = nghttp2_session_mem_recv(session, start, bytes.count)
        guard count >= 0 else { throw .brokenProtocol(count) }
    }

    /// Gives out what is to be sent, frame by frame.
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

    /// Whether both sides have said all they had to say.
    var isFinished: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    func collectCounts() -> StreamCounts {
        defer { counts = StreamCounts(peak: openStreams) }
        return counts
    }

    // MARK: - What the server says

    /// Tells the client how many streams it may have open from now on.
    func announce(streamLimit: UInt32) {
        self.streamLimit = streamLimit
        submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, Self.libraryStreamLimit)])
    }

    func reset(_ stream: Int32, errorCode: UInt32) {
        nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode)
    }

    /// Says goodbye: streams above the last one were not and will not be processed.
    func goAway(lastStream: Int32, _ goodbye: Goodbye) {
        lastAllowed = min(lastAllowed, lastStream)
        let debug = goodbye.debug
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        for _ in 0..<goodbye.count {
            nghttp2_submit_goaway(session, flags, lastAllowed, goodbye.errorCode, debug, debug.count)
        }
    }

    /// The stream of a request that is not yet over; nil when it was reset meanwhile.
    func stream(_ id: Int32) -> HTTP2Stream? {
        nghttp2_session_get_stream_user_data(session, id).map {
            Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - stream: The stream the request came on.
    ///   - fields: The fields of the answer, whose memory need live no longer than the call.
    ///   - body: What follows them; may be empty.
    func answer(_ stream: HTTP2Stream, fields: UnsafeBufferPointer<nghttp2_nv>, body: [UInt8]) {
        guard !body.isEmpty else {
            nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, nil)
            return
        }
        stream.answer = body[...]
        var provider = nghttp2_data_provider(source: nghttp2_data_source(), read_callback: HTTP2Callbacks.readAnswer)
        nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, &provider)
    }

    // MARK: - Called back

    func begin(_ id: Int32) {
        guard openStreams < Int(streamLimit) else {
            counts.refused += 1
            current = nil
            reset(id, errorCode: NGHTTP2_REFUSED_STREAM.rawValue)
            return
        }
        let stream = idle.popLast() ?? makeStream()
        stream.open(id: id)
        current = stream
        openStreams += 1
        lastOpened = id
        counts.opened += 1
        counts.peak = max(counts.peak, openStreams)
        nghttp2_session_set_stream_user_data(session, id, Unmanaged.passUnretained(stream).toOpaque())
    }

    func field(of id: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let current, current.id == id, !current.isTaken else { return }
        if !current.request.appendField(name: name, value: value) {
            // More fields than SETTINGS allows; Apple's own answer to that is not known.
            current.isTaken = true
            reset(id, errorCode: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        }
    }

    func data(of id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let stream = stream(id) else { return }
        guard !stream.isTaken else {
            stream.surplus += bytes.count
            if stream.surplus > Self.surplusLimit {
                reset(id, errorCode: NGHTTP2_NO_ERROR.rawValue)
            }
            return
        }
        stream.request.appendBody(bytes)
        if stream.request.bodyLength > IncomingRequest.bodyLimit {
            take(stream)
        }
    }

    func end(of id: Int32) {
        guard let stream = current?.id == id ? current : stream(id), !stream.isTaken else { return }
        take(stream)
    }

    func close(_ id: Int32) {
        guard let stream = stream(id) else { return }
        openStreams -= 1
        counts.closed += 1
        if current === stream {
            current = nil
        }
        idle.append(stream)
    }

    // MARK: - Private

    /// Far above what any configuration announces.
    private static let libraryStreamLimit: UInt32 = 1 << 30

    private func take(_ stream: HTTP2Stream) {
        stream.isTaken = true
        guard stream.id <= lastAllowed else { return }
        received(stream)
        lastTaken = max(lastTaken, stream.id)
    }

    private func makeStream() -> HTTP2Stream {
        let stream = HTTP2Stream()
        streams.append(stream)
        return stream
    }

    private func submitSettings(_ settings: [(nghttp2_settings_id, UInt32)]) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    private func isSettings(_ frame: UnsafeBufferPointer<UInt8>) -> Bool {
        let isAcknowledgement = frame[4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        return frame.count > 9 && frame[3] == UInt8(NGHTTP2_SETTINGS.rawValue) && !isAcknowledgement
    }

    private func withPatchedSettings(
        _ frame: UnsafeBufferPointer<UInt8>,
        _ write: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var patched = Array(frame)
        let (headerLength, entryLength) = (9, 6)
        for entry in stride(from: headerLength, to: patched.count - entryLength + 1, by: entryLength)
        where patched[entry] == 0 && patched[entry + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) {
            for byte in 0..<4 {
                patched[entry + 2 + byte] = UInt8(truncatingIfNeeded: streamLimit >> (24 - 8 * UInt32(byte)))
            }
        }
        patched.withUnsafeBufferPointer(write)
    }
}
