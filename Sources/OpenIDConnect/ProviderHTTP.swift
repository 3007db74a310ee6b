import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An answer of a provider.
package struct ProviderAnswer: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]

    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }
}

/// A request to a provider.
package struct ProviderQuestion: Hashable, Sendable {
    package var url: String
    /// The value of `Authorization`; `nil` for none.
    package var authorization: String?
    /// The form of a POST; `nil` for a GET.
    package var form: String?

    package init(url: String, authorization: String? = nil, form: String? = nil) {
        (self.url, self.authorization, self.form) = (url, authorization, form)
    }
}

/// Asks a provider over HTTP.
package protocol ProviderHTTP: Sendable {
    /// Returns the answer, of whatever status.
    ///
    /// - Throws: ``ProviderProblem/unreachable(_:)``.
    func ask(_ question: ProviderQuestion) async throws(ProviderProblem) -> ProviderAnswer
}

/// The client for a provider that the server's configuration names: it may be on this machine or in an inner network.
///
/// No redirect is followed, an answer has at most 512 KiB, and it comes within ten seconds or not at all. People sign in
/// rarely, so that each request has a connection of its own.
package struct BoundedProviderHTTP: ProviderHTTP {
    private static let limit = 512 * 1_024
    private static let time = Duration.seconds(10)

    private let rootsFile: String?

    package init(rootsFile: String? = nil) { self.rootsFile = rootsFile }

    package func ask(_ question: ProviderQuestion) async throws(ProviderProblem) -> ProviderAnswer {
        let client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: configuration
        )
        let result: Result<ProviderAnswer, ProviderProblem> = await withTaskGroup { group in
            group.addTask { await Self.answer(question, client) }
            group.addTask {
                // The client's own deadline ends with the head of an answer.
                try? await Task.sleep(for: Self.time)
                return Self.failure(question, "no answer within \(Self.time.components.seconds) seconds")
            }
            let first = await group.next() ?? Self.failure(question, "no answer")
            group.cancelAll()
            return first
        }
        try? await client.shutdown()
        return try result.get()
    }

    // MARK: - Private

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        var tls = TLSConfiguration.makeClientConfiguration()
        if let rootsFile { tls.trustRoots = .file(rootsFile) }
        configuration.tlsConfiguration = tls
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        return configuration
    }

    private static func answer(
        _ question: ProviderQuestion,
        _ client: HTTPClient
    ) async -> Result<ProviderAnswer, ProviderProblem> {
        var request = HTTPClientRequest(url: question.url)
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "carillon")
        if let authorization = question.authorization {
            request.headers.add(name: "authorization", value: authorization)
        }
        if let form = question.form {
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: form))
        }
        do {
            let response = try await client.execute(request, timeout: TimeAmount(time))
            var body = try await response.body.collect(upTo: limit)
            let bytes = body.readBytes(length: body.readableBytes) ?? []
            return .success(ProviderAnswer(status: Int(response.status.code), body: bytes))
        } catch is NIOTooManyBytesError {
            return failure(question, "the answer has more than \(limit) bytes")
        } catch let error as HTTPClientError {
            return failure(question, error.shortDescription)
        } catch {
            return failure(question, "no connection")
        }
    }

    private static func failure(
        _ question: ProviderQuestion,
        _ reason: String
    ) -> Result<ProviderAnswer, ProviderProblem> {
        .failure(.unreachable("The identity provider cannot be asked at \(question.url): \(reason)."))
    }
}
