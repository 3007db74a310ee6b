import Carillon
import Foundation

/// What happened on the way to the server, where the SDK's errors say less than the vendors' codes do.
package enum RecordedFailure: Hashable, Sendable {
    /// No URL that can be asked.
    case badURL
    /// The very same question is under way.
    case repeated
    /// The server answered another status than a success.
    case status(Int)
    /// A success whose body is JSON; when it is no answer to the request, it says something else.
    case json
}

/// Gathers what happened on the way to the server during one call of a facade.
///
/// Unchecked: `lock` protects `noted`.
package final class CallNotes: @unchecked Sendable {
    /// The notes of the call that the task works for.
    @TaskLocal package static var current: CallNotes?

    private let lock = NSLock()
    private var noted: RecordedFailure?

    package init() {}

    /// What happened last.
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

/// Sends requests by another transport, and notes what becomes of those of a facade's call.
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

/// Which questions are being asked at the moment.
///
/// Only questions: what changes something is sent one at a time by the SDK itself. Unchecked: `lock` protects `requests`.
private final class RequestsUnderWay: @unchecked Sendable {
    private let lock = NSLock()
    private var requests: Set<URL> = []

    /// - Returns: False when the very same question is under way.
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
