/// One stream of a connection, from its first field to its end.
///
/// Used again for a later stream, of whatever connection.
final class HTTP2Stream {
    private(set) var id: Int32 = 0
    var request = IncomingRequest()
    /// Set as soon as the request was handed on: what still comes is dropped.
    var isTaken = false
    /// Set while the request waits to be judged.
    var isWaiting = false
    /// Set when the stream is over for HTTP/2, before it was judged or after.
    var isClosed = false
    /// Set when the server reset it before it was judged: then it never happened.
    var isRefused = false
    /// Set when the answer was given to the library.
    var isAnswered = false
    /// What is to be done, once the request was judged.
    var reply: Reply?
    /// The body of the answer, as far as it was not sent.
    var answer: ArraySlice<UInt8> = []
    /// Bytes of the body that came after the answer.
    var surplus = 0
    /// Where the stream stands among those that its connection has open.
    var place = 0

    func open(id: Int32) {
        self.id = id
        request.reset()
        isTaken = false
        isWaiting = false
        isClosed = false
        isRefused = false
        isAnswered = false
        reply = nil
        answer = []
        surplus = 0
    }
}

/// Streams that nobody uses at the moment, shared by the connections of one event loop.
///
/// So connections that are idle hold no memory for streams, and busy ones allocate none.
final class HTTP2StreamPool {
    /// More than this are let go: what one burst needed is not kept for ever.
    private static let limit = 4096
    /// A stream whose fields or body needed more than this is let go, too.
    private static let largestRequest = 16_384

    private var idle: [HTTP2Stream] = []

    func take() -> HTTP2Stream {
        idle.popLast() ?? HTTP2Stream()
    }

    func give(_ stream: HTTP2Stream) {
        guard idle.count < Self.limit, stream.request.capacity <= Self.largestRequest else { return }
        stream.reply = nil
        stream.answer = []
        idle.append(stream)
    }
}

/// The numbers of a connection since they were last collected.
struct StreamCounts {
    var opened = 0
    var refused = 0
    var closed = 0
    /// The most that were open at once.
    var peak = 0
}
