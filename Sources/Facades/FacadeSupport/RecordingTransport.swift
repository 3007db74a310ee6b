import Carillon
import Foundation

/// The failure of a request, where the SDK's errors are less specific than the vendors' codes.
package enum RecordedFailure: Hashable, Sendable {
    /// The URL is invalid.
    case badURL
    /// The same request is in flight.
    case repeated
    /// The server's status was not a success.
    case status(Int)
    /// A success with a JSON body; if it cannot be decoded, its content is wrong.
    case json
}

/// Collects failures of requests during one call of a facade.
package final class CallNotes: Sendable {
    /// The notes of the current task's call.
    @TaskLocal package static var current: CallNotes?

    private let own = RecordedFailures()
    private let others: RecordedFailures
    private let start: Int

    /// - Parameter others: The failures of requests that belong to no call: a call may wait for one that the SDK has begun.
    package init(others: RecordedFailures) {
        self.others = others
        start = others.count
    }

    /// The last failure of the call's own requests; without one, the last of others since the call began.
    package var last: RecordedFailure? { own.count > 0 ? own.last(after: 0) : others.last(after: start) }

    func add(_ failure: RecordedFailure?) { own.add(failure) }
}

/// The failures of requests, in order.
///
/// Unchecked: `lock` protects everything.
package final class RecordedFailures: @unchecked Sendable {
    private let lock = NSLock()
    private var recorded = 0
    private var latest: RecordedFailure?

    package init() {}

    /// How many requests were recorded.
    var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return recorded
    }

    /// The latest failure, if it was recorded after so many requests.
    func last(after count: Int) -> RecordedFailure? {
        lock.lock()
        defer { lock.unlock() }
        return recorded > count ? latest : nil
    }

    func add(_ failure: RecordedFailure?) {
        lock.lock()
        defer { lock.unlock() }
        recorded += 1
        latest = failure
    }
}

/// Sends requests with another transport, and records the failures of a facade's call.
struct RecordingTransport: Transport {
    private let base: any Transport
    private let failures: RecordedFailures
    private let underWay = RequestsUnderWay()

    init(_ base: (any Transport)?, _ failures: RecordedFailures) {
        self.base = base ?? URLSessionTransport()
        self.failures = failures
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        guard let notes = CallNotes.current else { return try await send(request) { failures.add($0) } }
        guard underWay.begin(request) else {
            notes.add(.repeated)
            throw RepeatedRequest()
        }
        defer { underWay.end(request) }
        return try await send(request) { notes.add($0) }
    }

    private func send(
        _ request: TransportRequest,
        noting note: (RecordedFailure?) -> Void
    ) async throws -> TransportAnswer {
        do {
            let answer = try await base.send(request)
            note(RecordedFailure(answer))
            return answer
        } catch {
            note(RecordedFailure(error))
            throw error
        }
    }

    private struct RepeatedRequest: Error {}
}

/// The GET requests in flight.
///
/// Only these: the SDK sends changes one at a time. Unchecked: `lock` protects `requests`.
private final class RequestsUnderWay: @unchecked Sendable {
    private let lock = NSLock()
    private var requests: Set<URL> = []

    /// - Returns: False when the same request is in flight.
    func begin(_ request: TransportRequest) -> Bool {
        guard request.method == "GET" else { return true }
        lock.lock()
        defer { lock.unlock() }
        return requests.insert(request.url).inserted
    }

    func end(_ request: TransportRequest) {
        guard request.method == "GET" else { return }
        lock.lock()
        defer { lock.unlock() }
        requests.remove(request.url)
    }
}

extension RecordedFailure {
    init?(_ answer: TransportAnswer) {
        guard (200..<300).contains(answer.status) else {
            self = .status(answer.status)
            return
        }
        let value = try? JSONSerialization.jsonObject(with: answer.body, options: .fragmentsAllowed)
        guard value != nil else { return nil }
        self = .json
    }

    init?(_ error: any Error) {
        // The numbers of URLError.Code's badURL and unsupportedURL, which Foundation alone does not have everywhere.
        let error = error as NSError
        guard error.domain == "NSURLErrorDomain", [-1000, -1002].contains(error.code) else { return nil }
        self = .badURL
    }
}
