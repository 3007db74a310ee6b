import AsyncHTTPClient
package import CarillonContentSets
import CarillonModel
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// The result of a request for somebody who waits.
package enum CheckedFetchAnswer: Hashable, Sendable {
    case content([UInt8])
    /// The address, or one that it leads to, is of the server's own networks, or no address that may be asked.
    case forbidden(String)
    case tooLarge(String)
    /// There was no answer that can be used.
    case failed(String)
}

/// Fetches content over HTTP, never from addresses of the server's own networks, as ``CheckedHosts`` sees to.
///
/// Up to five redirects are followed, each checked like an address of its own; credentials go to the first origin alone.
/// The whole answer has a deadline, also while nothing comes, and a maximum size, which is looked at before and while it is
/// read.
package struct HTTPContentFetcher: ContentFetcher {
    private static let redirectLimit = 5
    private static let ignoredLimit = 65_536

    private let wholeTime: Duration
    private let hosts: CheckedHosts

    /// Creates a fetcher.
    ///
    /// - Parameters:
    ///   - options: Those of the connections.
    ///   - wholeTime: Timeout of a whole fetch, redirects included.
    ///   - resolver: Resolves names.
    package init(
        options: HTTPWebhookClient.Options = .init(),
        wholeTime: Duration = .seconds(120),
        resolver: any HostResolver = SystemHostResolver()
    ) {
        self.wholeTime = wholeTime
        hosts = CheckedHosts(options, resolver)
    }

    package func objection(to url: String) -> String? { hosts.objection(to: url) }

    package func fetch(_ fetch: ContentFetch) async -> ContentFetchAnswer {
        switch await end(of: fetch) {
        case .answer(let answer): answer
        case .forbidden(let sentence), .tooLarge(let sentence): .failed(sentence)
        }
    }

    /// Fetches for somebody who waits and has to be told what is wrong with the address.
    ///
    /// - Parameter fetch: The request; its validators do not count.
    /// - Returns: The bytes, or why there are none.
    package func fetchNow(_ fetch: ContentFetch) async -> CheckedFetchAnswer {
        switch await end(of: fetch) {
        case .answer(.content(let bytes, _)): .content(bytes)
        case .answer(.unchanged): .failed("There is no content.")
        case .answer(.refused(let status, _)): .failed("The server answered \(status).")
        case .answer(.failed(let sentence)): .failed(sentence)
        case .forbidden(let sentence): .forbidden(sentence)
        case .tooLarge(let sentence): .tooLarge(sentence)
        }
    }

    // MARK: - Private

    /// The one text of a fetch that takes too long, whoever notes it first.
    private var lateness: String { "No answer: it takes longer than \(wholeTime.components.seconds) seconds." }

    private enum End: Sendable {
        case answer(ContentFetchAnswer)
        /// An address is of the server's own networks, or no address that may be asked.
        case forbidden(String)
        case tooLarge(String)
    }

    private enum Step: Sendable {
        case end(End)
        case redirect(String)

        static func answer(_ answer: ContentFetchAnswer) -> Step { .end(.answer(answer)) }
    }

    private func end(of fetch: ContentFetch) async -> End {
        await withTaskGroup(of: End?.self) { group in
            group.addTask { await answer(fetch) }
            group.addTask { [wholeTime] in
                // The client's own deadline ends with the head of an answer.
                try? await Task.sleep(for: wholeTime)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .answer(.failed(lateness))
        }
    }

    private func answer(_ fetch: ContentFetch) async -> End {
        let deadline = NIODeadline.now() + TimeAmount(wholeTime)
        var request = fetch
        for _ in 0...Self.redirectLimit {
            switch await step(request, until: deadline) {
            case .end(let end): return end
            case .redirect(let url):
                if !Self.haveSameOrigin(url, request.url) { request.authorization = nil }
                request.url = url
            }
        }
        return .answer(.failed("The address leads to more than \(Self.redirectLimit) others, one after another."))
    }

    private func step(_ fetch: ContentFetch, until deadline: NIODeadline) async -> Step {
        do throws(CheckedHosts.Refusal) {
            let key = try await hosts.key(of: fetch.url, for: fetch.app)
            return await hosts.withClient(key) { client in
                do {
                    let response = try await client.execute(Self.request(fetch), deadline: deadline)
                    return try await read(response, of: fetch)
                } catch {
                    return .answer(.failed(sentence(error)))
                }
            }
        } catch {
            return .end(error.isForbidden ? .forbidden(error.sentence) : .answer(.failed(error.sentence)))
        }
    }

    private static func request(_ fetch: ContentFetch) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: fetch.url)
        request.headers.add(name: "User-Agent", value: "Carillon-Content/1")
        request.headers.add(name: "Accept", value: "*/*")
        if !fetch.languages.isEmpty {
            request.headers.add(name: "Accept-Language", value: languages(fetch.languages))
        }
        if let value = fetch.authorization { request.headers.add(name: "Authorization", value: value) }
        if let form = fetch.form {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(bytes: form))
        }
        if let tag = fetch.validators.entityTag { request.headers.add(name: "If-None-Match", value: tag) }
        if let time = fetch.validators.lastModified { request.headers.add(name: "If-Modified-Since", value: time) }
        return request
    }

    private func read(_ response: HTTPClientResponse, of fetch: ContentFetch) async throws -> Step {
        let status = Int(response.status.code)
        switch status {
        case 200..<300:
            return .end(try await content(of: response, limit: fetch.limit))
        case 304: return .answer(.unchanged)
        case 301, 302, 303, 307, 308:
            _ = try? await response.body.collect(upTo: Self.ignoredLimit)
            guard fetch.form == nil else { return .answer(.refused(status: status, retryAfter: nil)) }
            let location = response.headers.first(name: "Location").flatMap { Self.resolved($0, from: fetch.url) }
            return location.map(Step.redirect) ?? .answer(.failed("The address leads to another one that is none."))
        default:
            _ = try? await response.body.collect(upTo: Self.ignoredLimit)
            let after = response.headers.first(name: "Retry-After").flatMap { Int($0) }.map { max(0, min($0, 86_400)) }
            return .answer(.refused(status: status, retryAfter: after.map { .seconds($0) }))
        }
    }

    private func content(
        of response: HTTPClientResponse,
        limit: Int
    ) async throws -> End {
        let tooLarge = End.tooLarge("The answer has more than \(limit) bytes.")
        let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let announced, announced > limit { return tooLarge }
        var bytes: [UInt8] = []
        if let announced { bytes.reserveCapacity(announced) }
        for try await part in response.body {
            guard bytes.count + part.readableBytes <= limit else { return tooLarge }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return .answer(
            .content(
                bytes,
                ContentValidators(
                    entityTag: response.headers.first(name: "ETag"),
                    lastModified: response.headers.first(name: "Last-Modified")
                )
            )
        )
    }

    /// `zh-Hant, en;q=0.9`: each language is wanted less than the one before.
    private static func languages(_ tags: [String]) -> String {
        tags.prefix(9).enumerated().map { place, tag in place == 0 ? tag : "\(tag);q=0.\(10 - place)" }
            .joined(separator: ", ")
    }

    private static func resolved(_ location: String, from url: String) -> String? {
        guard let base = URL(string: url), let next = URL(string: location, relativeTo: base) else { return nil }
        return next.absoluteString
    }

    private static func haveSameOrigin(_ one: String, _ other: String) -> Bool {
        guard let one = URLComponents(string: one), let other = URLComponents(string: other) else { return false }
        return one.scheme == other.scheme && one.host?.lowercased() == other.host?.lowercased()
            && one.port == other.port
    }

    private func sentence(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded: lateness
        case let error as HTTPClientError: "No answer: \(error.shortDescription)."
        case is NIOSSLError: "The certificate is not believed, or TLS failed."
        default: "There is no connection to the address."
        }
    }
}
