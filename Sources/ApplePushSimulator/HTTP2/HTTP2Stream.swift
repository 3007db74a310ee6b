/// One stream of a connection, from its first field to its end.
///
/// Reused for a later stream of any connection.
final class HTTP2Stream {
    private(set) var id: Int32 = 0
    /// Unchecked: every field of every request would be a tracked access, and no method that appends to it calls back.
    @exclusivity(unchecked) var request = IncomingRequest()
    /// Set when the request was handed over: later data is dropped.
    var isTaken = false
    /// Set while the request waits for validation.
    var isWaiting = false
    /// Set when the stream is closed in HTTP/2, before or after validation.
    var isClosed = false
    /// Set when the server reset it before validation: it is not counted.
    var isRefused = false
    /// Set when the library has the response.
    var isAnswered = false
    /// The reply, after validation.
    var reply: Reply?
    /// The unsent part of the response's body.
    var answer: ArraySlice<UInt8> = []
    /// Bytes of the body that arrived after the response.
    var surplus = 0
    /// The stream's position in its connection's list of open streams.
    var place = 0

    /// Whether ``request`` has memory for reuse.
    private var holdsRequest = true

    /// Removes and returns the request's memory; nil when it was removed before.
    func removeRequest() -> IncomingRequest? {
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

/// Unused streams and memory of requests, shared by the connections of one event loop.
///
/// So idle connections hold no memory for streams, and busy ones allocate none.
final class HTTP2StreamPool {
    /// Maximum number of pooled streams, so that a burst does not hold memory for ever.
    private static let streamLimit = 16_384
    /// Maximum number of pooled requests, a kilobyte each and more.
    private static let requestLimit = 4096
    /// A request with larger fields or body is not pooled.
    private static let largestRequest = 16_384

    private var streams: [HTTP2Stream] = []
    private var requests: [IncomingRequest] = []

    func acquire() -> HTTP2Stream {
        let stream = streams.popLast() ?? HTTP2Stream()
        if let request = requests.popLast() { stream.request = request }
        return stream
    }

    /// Returns a closed stream to the pool.
    func give(_ stream: HTTP2Stream) {
        giveRequest(of: stream)
        guard streams.count < Self.streamLimit else { return }
        stream.reply = nil
        stream.answer = []
        streams.append(stream)
    }

    /// Returns the memory of a validated request to the pool.
    ///
    /// Thousands of streams may be open until their delayed responses are due; new requests then reuse memory that is
    /// still in the cache.
    func giveRequest(of stream: HTTP2Stream) {
        guard let request = stream.removeRequest(), requests.count < Self.requestLimit,
            request.capacity <= Self.largestRequest
        else { return }
        requests.append(request)
    }
}

/// The counts of a connection since they were last collected.
struct StreamCounts {
    var opened = 0
    var refused = 0
    var closed = 0
    /// Maximum number of concurrent streams.
    var peak = 0
}
