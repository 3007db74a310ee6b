public import Foundation

extension SimulatedAPNs {
    /// A request with what was made of it.
    public struct Request: Sendable {
        /// The fields by arrival, with the pseudo-headers.
        public let headers: [(name: String, value: String)]
        /// The first 5,121 bytes of the body.
        public let body: [UInt8]
        /// When it arrived, by the simulator's clock.
        public let date: Date
        /// The id of the key that signed its provider token; `nil` when there was no valid one.
        public let keyID: String?
        /// The answer's status; `nil` when there was no answer.
        public let status: Int?
        /// The answer's reason; `nil` when it was accepted.
        public let reason: String?

        /// The value of a field, by its name in lower case; the first if there are several.
        public subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

        /// The device token in the path, in lower case; `nil` in another path.
        public var deviceToken: String? {
            guard let path = self[":path"], path.hasPrefix("/3/device/") else { return nil }
            return path.dropFirst("/3/device/".count).lowercased()
        }

        /// The body as JSON.
        ///
        /// - Throws: `DecodingError` when it is another value.
        public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(body))
        }
    }

    /// The last 1,000 requests, oldest first.
    public var requests: [Request] { handle.requests(limit: Recorder.largestLimit).map(Request.init) }

    /// The last requests to a device token, oldest first.
    ///
    /// - Parameter deviceToken: The token in hexadecimal.
    /// - Returns: The requests; empty when there are none.
    public func requests(to deviceToken: String) -> [Request] {
        requests.filter { $0.deviceToken == deviceToken.lowercased() }
    }

    /// Waits until a number of requests have arrived, for a sender that works in the background.
    ///
    /// - Parameters:
    ///   - count: How many at least, up to 1,000, since the start or ``reset()``.
    ///   - timeout: How long to wait.
    /// - Returns: The requests, oldest first.
    /// - Throws: ``Problem/tooFewRequests(_:)``, `CancellationError`.
    public func requests(atLeast count: Int, within timeout: Duration = .seconds(10)) async throws -> [Request] {
        let end = ContinuousClock.now + timeout
        while true {
            let requests = requests
            if requests.count >= count { return requests }
            guard .now < end else { throw Problem.tooFewRequests(requests.count) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Number of accepted notifications.
    public var accepted: Int { handle.counters().accepted }

    /// Number of refused requests.
    public var refused: Int { handle.counters().rejected }

    /// Number of connections ever opened.
    public var connectionsOpened: Int { handle.counters().connectionsOpened }
}

extension SimulatedAPNs.Request {
    init(_ recorded: RecordedRequest) {
        headers = recorded.request.headers
        body = recorded.request.body
        date = Date(timeIntervalSince1970: Double(recorded.at.milliseconds) / 1000)
        keyID = recorded.keyID
        status = recorded.status
        reason = recorded.reason
    }
}
