import CarillonModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension OperatorAPI {
    /// Passes on a response part by part, as it arrives.
    ///
    /// - Parameters:
    ///   - path: Below the server's address.
    ///   - query: Names and values.
    ///   - isAuthorized: Whether the API key is sent; a ticket in the query replaces it.
    ///   - timeout: Maximum time between two parts, in seconds.
    ///   - receive: Gets each part; an error of it ends the download.
    /// - Throws: As ``call(_:_:_:body:contentType:)``, and what `receive` throws.
    func download(
        _ path: String,
        _ query: [String: String?],
        isAuthorized: Bool = true,
        timeout: TimeInterval = 60,
        receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        var request = self.request(to: try url(path, query), timeout: timeout)
        if isAuthorized { request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization") }
        let download = Download(path: path, receive: receive)
        let session = URLSession(configuration: .ephemeral, delegate: download, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        await openConnection(of: session)
        let task = session.dataTask(with: request)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                download.continuation = continuation
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// Receives a response part by part.
///
/// Unchecked: the session calls it on one queue, one call after the other, and the continuation is set before.
private final class Download: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let path: String
    private let receive: @Sendable (Data) throws -> Void
    private var response: URLResponse?
    private var problem = Data()
    private var failure: (any Error)?
    var continuation: CheckedContinuation<Void, any Error>?

    init(path: String, receive: @escaping @Sendable (Data) throws -> Void) {
        self.path = path
        self.receive = receive
    }

    private var isSuccess: Bool { (response as? HTTPURLResponse)?.statusCode == 200 }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        self.response = response
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard isSuccess else {
            if problem.count < 65_536 { problem.append(data) }
            return
        }
        do {
            try receive(data)
        } catch {
            failure = error
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error = failure ?? error {
            continuation?.resume(throwing: error)
        } else if isSuccess {
            continuation?.resume()
        } else {
            continuation?.resume(throwing: OperatorAPI.refusal(path, response, problem))
        }
        continuation = nil
    }
}
