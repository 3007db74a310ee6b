/// A received request with its result.
package struct RecordedRequest: Sendable {
    package var connection: Int
    package var stream: Int32
    package var at: SimulatedTime
    package var request: IncomingRequest
    /// The claims of a valid provider token.
    package var keyID: String?
    package var teamID: String?
    package var issuedAt: Int64?
    /// The response's status; nil when there was none.
    package var status: Int?
    package var reason: String?
}

/// The last requests, up to a limit.
struct Recorder: Sendable {
    /// Maximum value of the limit.
    static let largestLimit = 100_000

    private(set) var limit: Int
    /// Number of requests ever recorded: the number of the last one, counted from 1.
    private(set) var recorded = 0
    private var ring: [RecordedRequest] = []
    private var oldest = 0

    init(limit: Int) {
        self.limit = min(max(limit, 0), Self.largestLimit)
    }

    var isOn: Bool { limit > 0 }

    /// Records a request, and returns the one that it replaces, for reuse.
    mutating func record(_ request: inout IncomingRequest, _ entry: RecordedRequest) {
        var entry = entry
        recorded += 1
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
    ///
    /// Copies only those, so that a frequent reader does not pay for all.
    func last(_ count: Int) -> [RecordedRequest] {
        let count = min(max(count, 0), ring.count)
        return (ring.count - count..<ring.count).map { ring[(oldest + $0) % ring.count] }
    }

    /// The newest recorded request that matches, with its number; nil when none does.
    func newest(where isWanted: (RecordedRequest) -> Bool) -> (number: Int, request: RecordedRequest)? {
        for age in ring.indices {
            let position = (oldest + ring.count - 1 - age) % ring.count
            if isWanted(ring[position]) {
                return (recorded - age, ring[position])
            }
        }
        return nil
    }

    mutating func reset() {
        ring.removeAll()
        oldest = 0
    }
}
