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
///
/// Unchecked: `lock` protects `noted`.
package final class CallNotes: @unchecked Sendable {
    /// The notes of the current task's call.
    @TaskLocal package static var current: CallNotes?

    private let lock = NSLock()
    private var noted: RecordedFailure?

    package init() {}

    /// The last failure.
    package internal(set) var last: RecordedFailure? {
        get {
            lock.lock()
            defer { lock.unlock() }
            return noted
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            noted = newValue
        }
    }
}

/// Sends requests with another transport, and records the failures of a facade's call.
struct RecordingTransport: Transport {
    private let base: any Transport
    private let underWay = RequestsUnderWay()

    init(_ base: (any Transport)?) { self.base = base ?? URLSessionTransport() }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        guard let notes = CallNotes.current else { return try await base.send(request) }
        guard underWay.begin(request) else {
            notes.last = .repeated
            throw RepeatedRequest()
        }
        defer { underWay.end(request) }
        do {
            let answer = try await base.send(request)
            notes.last = RecordedFailure(answer)
            return answer
        } catch {
            notes.last = RecordedFailure(error)
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
