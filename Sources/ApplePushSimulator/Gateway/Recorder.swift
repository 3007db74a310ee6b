/// One request as it was received, and what became of it.
package struct RecordedRequest: Sendable {
    package var connection: Int
    package var stream: Int32
    package var at: WallTime
    package var request: IncomingRequest
    /// The claims of the provider token, when it was in order.
    package var keyID: String?
    package var teamID: String?
    package var issuedAt: Int64?
    /// The answer's status; nil: none was given.
    package var status: Int?
    package var reason: String?
}

/// The last requests, as many as its limit says.
struct Recorder: Sendable {
    /// The most that may be kept.
    static let largestLimit = 100_000

    private(set) var limit: Int
    private var ring: [RecordedRequest] = []
    private var oldest = 0

    init(limit: Int) {
        self.limit = min(max(limit, 0), Self.largestLimit)
    }

    var isOn: Bool { limit > 0 }

    /// Keeps a request, and gives back the one that leaves, to be used again.
    mutating func record(_ request: inout IncomingRequest, _ entry: RecordedRequest) {
        var entry = entry
        swap(&entry.request, &request)
        if ring.count < limit {
            ring.append(entry)
        } else {
            swap(&ring[oldest].request, &request)
            ring[oldest] = entry
            oldest = (oldest + 1) % limit
        }
    }

    /// The last requests, oldest first.
    func last(_ count: Int) -> [RecordedRequest] {
        (Array(ring[oldest...]) + ring[..<oldest]).suffix(max(count, 0))
    }

    mutating func reset() {
        ring.removeAll()
        oldest = 0
    }
}
