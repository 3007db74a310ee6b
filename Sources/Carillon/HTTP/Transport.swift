public import Foundation

/// Sends requests to the server.
///
/// An app may pass its own; the SDK's is `URLSession`.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// Redirects are not followed, because the headers are for one server alone.
    ///
    /// - Parameter request: The request, with its time limit.
    /// - Returns: The server's answer, whatever its status.
    /// - Throws: Any error when there is no answer within the request's time limit.
    func send(_ request: TransportRequest) async throws -> TransportAnswer
}

/// A transport that reports the progress of a request's body.
package protocol UploadTransport: Transport {
    /// Sends a request and waits for the whole answer, as ``Transport/send(_:)``.
    ///
    /// - Parameters:
    ///   - request: The request, with its time limit.
    ///   - onSent: Receives how many bytes of the body were sent so far, on any thread.
    /// - Returns: The server's answer, whatever its status.
    /// - Throws: Any error when there is no answer within the request's time limit.
    func send(
        _ request: TransportRequest,
        onSent: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportAnswer
}

/// A request to the server.
public struct TransportRequest: Hashable, Sendable {
    /// The HTTP method.
    public var method: String
    /// The whole URL.
    public var url: URL
    /// Headers by name.
    public var headers: [String: String]
    /// The body, if there is one.
    public var body: Data?
    /// The longest time until the answer, in seconds.
    public var timeLimit: TimeInterval

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - url: The whole URL.
    ///   - headers: Headers by name.
    ///   - body: The body, if there is one.
    ///   - timeLimit: The longest time until the answer, in seconds.
    public init(method: String, url: URL, headers: [String: String], body: Data?, timeLimit: TimeInterval) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeLimit = timeLimit
    }
}

/// The server's answer to a request.
public struct TransportAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// Headers by name in lower case.
    public var headers: [String: String]
    /// The body; at most 1 MiB is read.
    public var body: Data

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - headers: Headers by name, in any case.
    ///   - body: The body.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }
}
