/// One stream of a connection, from its first field to its end.
///
/// Used again for a later stream, of whatever connection.
final class HTTP2Stream {
    private(set) var id: Int32 = 0
    /// Unchecked: every field of every request would be a tracked access, and nothing that takes one in calls back.
    @exclusivity(unchecked) var request = IncomingRequest()
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

    /// Whether ``request`` has memory that another stream could use.
    private var holdsRequest = true

    /// Takes the request's memory away; nil: that was done before.
    func takeRequest() -> IncomingRequest? {
        guard holdsRequest else { return nil }
        holdsRequest = false
        var request = IncomingRequest()
        swap(&request, &self.request)
        return request
    }

    func open(id: Int32) {
        holdsRequest = true
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

/// Streams and the memory of requests that nobody uses at the moment, shared by the connections of one event loop.
///
/// So connections that are idle hold no memory for streams, and busy ones allocate none.
final class HTTP2StreamPool {
    /// More streams than this are let go: what one burst needed is not kept for ever.
    private static let streamLimit = 16_384
    /// The same of the memory of requests, a kilobyte each and more.
    private static let requestLimit = 4096
    /// A request whose fields or body needed more than this is let go, too.
    private static let largestRequest = 16_384

    private var streams: [HTTP2Stream] = []
    private var requests: [IncomingRequest] = []

    func take() -> HTTP2Stream {
        let stream = streams.popLast() ?? HTTP2Stream()
        if let request = requests.popLast() { stream.request = request }
        return stream
    }

    /// Takes back a stream that is over.
    func give(_ stream: HTTP2Stream) {
        giveRequest(of: stream)
        guard streams.count < Self.streamLimit else { return }
        stream.reply = nil
        stream.answer = []
        streams.append(stream)
    }

    /// Takes back the memory of a request that was judged.
    ///
    /// Thousands of streams may be open until their late answers are due; new requests use memory that is still near then.
    func giveRequest(of stream: HTTP2Stream) {
        guard let request = stream.takeRequest(), requests.count < Self.requestLimit,
            request.capacity <= Self.largestRequest
        else { return }
        requests.append(request)
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
