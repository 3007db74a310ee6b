package import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `URLSession` as the SDK uses it, on Apple's systems and on Linux: no cookies, no cache, streamed bodies, redirects only
/// on request, and a time limit on the whole exchange.
///
/// Unchecked: the session is safe to share, and `exchanges` protects its own state.
package final class HTTPSession: @unchecked Sendable {
    /// A response's head.
    package struct Head: Equatable, Sendable {
        package var status: Int
        /// By name in lower case.
        package var headers: [String: String]
    }

    /// Receives a part of the body; returns false to end the exchange.
    package typealias Sink = @Sendable (Data) -> Bool
    /// Receives how many bytes of the request's body were sent so far.
    package typealias Progress = @Sendable (Int64) -> Void

    private let session: URLSession
    private let exchanges: Exchanges

    /// - Parameters:
    ///   - connections: The maximum of connections to one server, 1 through 64.
    ///   - followsRedirects: Whether redirects to `https` are followed.
    package init(connections: Int, followsRedirects: Bool = false) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = min(max(connections, 1), 64)
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        exchanges = Exchanges(followsRedirects: followsRedirects)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request and streams the body.
    ///
    /// - Parameters:
    ///   - request: The request; its time limit is for the whole exchange.
    ///   - onSent: Receives the progress of the request's body.
    ///   - onHead: Receives the head as soon as it arrives.
    ///   - sink: Receives the body.
    /// - Returns: The head.
    /// - Throws: An error when the exchange times out, is ended by the sink or by cancellation, or fails.
    package func run(
        _ request: TransportRequest,
        onSent: @escaping Progress = { _ in },
        onHead: @escaping @Sendable (Head) -> Void = { _ in },
        _ sink: @escaping Sink
    ) async throws -> Head {
        var urlRequest = URLRequest(url: request.url)
        // On Linux a limit that is not set after the initialization does not count, and a minute does.
        urlRequest.timeoutInterval = request.timeLimit
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let running = Running(task: session.dataTask(with: urlRequest))
        let outcome = exchanges.begin(running.task, onSent: onSent, onHead: onHead, sink)
        // The session's own limit counts from the last byte; this one counts from the first.
        let watch = Task {
            try await Task.sleep(nanoseconds: UInt64(min(max(request.timeLimit, 0), 1e9) * 1e9))
            running.task.cancel()
        }
        defer { watch.cancel() }
        running.task.resume()
        return try await withTaskCancellationHandler {
            try await outcome.wait().get()
        } onCancel: {
            running.task.cancel()
        }
    }

    /// Unchecked: a session's tasks may be used from any thread.
    private struct Running: @unchecked Sendable {
        let task: URLSessionDataTask
    }
}

/// The exchanges of a session.
///
/// Unchecked: `lock` protects `open`.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    typealias Outcome = OneShot<Result<HTTPSession.Head, any Error>>

    private let followsRedirects: Bool
    private let lock = NSLock()
    private var open: [Int: Exchange] = [:]

    struct Exchange {
        let outcome = Outcome()
        let onSent: HTTPSession.Progress
        let onHead: @Sendable (HTTPSession.Head) -> Void
        let sink: HTTPSession.Sink
        var isRefused = false
    }

    init(followsRedirects: Bool) { self.followsRedirects = followsRedirects }

    func begin(
        _ task: URLSessionTask,
        onSent: @escaping HTTPSession.Progress,
        onHead: @escaping @Sendable (HTTPSession.Head) -> Void,
        _ sink: @escaping HTTPSession.Sink
    ) -> Outcome {
        let exchange = Exchange(onSent: onSent, onHead: onHead, sink: sink)
        lock.lock()
        open[task.taskIdentifier] = exchange
        lock.unlock()
        return exchange.outcome
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        lock.lock()
        let exchange = open[task.taskIdentifier]
        lock.unlock()
        exchange?.onSent(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        lock.lock()
        let exchange = open[dataTask.taskIdentifier]
        lock.unlock()
        if let response = response as? HTTPURLResponse { exchange?.onHead(Self.head(of: response)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.lock()
        let exchange = open[dataTask.taskIdentifier]
        lock.unlock()
        guard let exchange, !exchange.sink(data) else { return }
        // After the last part a cancellation alone would be too late.
        lock.lock()
        open[dataTask.taskIdentifier]?.isRefused = true
        lock.unlock()
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(followsRedirects && request.url?.scheme == "https" ? request : nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.lock()
        let exchange = open.removeValue(forKey: task.taskIdentifier)
        lock.unlock()
        guard let response = task.response as? HTTPURLResponse, error == nil, exchange?.isRefused == false else {
            exchange?.outcome.complete(
                .failure(error ?? URLError(exchange?.isRefused == true ? .cancelled : .badServerResponse))
            )
            return
        }
        exchange?.outcome.complete(.success(Self.head(of: response)))
    }

    private static func head(of response: HTTPURLResponse) -> HTTPSession.Head {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        return HTTPSession.Head(status: response.statusCode, headers: headers)
    }
}
