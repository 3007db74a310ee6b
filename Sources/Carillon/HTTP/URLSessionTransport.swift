import Foundation

/// Sends requests by `URLSession`, without cookies and without a cache.
///
/// Clients may share one.
public final class URLSessionTransport: Transport {
    /// The longest body of an answer that is read, in bytes.
    public static let maximumBodySize = 1_048_576

    private let session: HTTPSession

    /// Makes a transport with a session of its own.
    ///
    /// - Parameter connections: The maximum of connections to the server, 1 through 64.
    public init(connections: Int = 4) {
        session = HTTPSession(connections: connections)
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter request: The request, with its time limit.
    /// - Returns: The server's answer, whatever its status.
    /// - Throws: An error when there is no answer in time, when it is too long, or when the task is cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportAnswer {
        try await send(request) { _ in }
    }
}

extension URLSessionTransport: UploadTransport {
    package func send(
        _ request: TransportRequest,
        onSent: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportAnswer {
        let body = BodyBuffer(limit: Self.maximumBodySize)
        let head = try await session.run(request, onSent: onSent) { body.append($0) }
        return TransportAnswer(status: head.status, headers: head.headers, body: body.data)
    }
}

/// Collects a body of limited size.
///
/// Unchecked: `lock` protects `gathered`.
final class BodyBuffer: @unchecked Sendable {
    private let lock = NSLock()
    private var gathered = Data()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var data: Data {
        lock.lock()
        defer { lock.unlock() }
        return gathered
    }

    /// - Returns: Whether the body is still within the limit.
    func append(_ piece: Data) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        gathered.append(piece)
        return gathered.count <= limit
    }
}
