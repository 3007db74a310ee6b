import Carillon
package import Foundation

/// The phones' part of the APNs simulator's control API.
package struct SimulatorControl: Sendable {
    /// Why a request failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let url: URL
    private let session = HTTPSession(connections: 1)

    /// - Parameter url: The URL of the control API, as `http://127.0.0.1:2198`.
    package init(url: URL) { self.url = url }

    private struct TokensRequest: Encodable {
        var topic: String
        var environment: String?
        var count: Int
        var online = false
    }

    private struct Tokens: Codable {
        var tokens: [String]
    }

    /// Makes device tokens for phones that are not connected yet.
    ///
    /// - Parameters:
    ///   - count: How many, 1 through 100,000.
    ///   - topic: The app's topic.
    ///   - environment: `sandbox` or `production`; `nil`: the simulator's own.
    /// - Returns: The tokens, as hexadecimal text.
    /// - Throws: ``Failure`` when the simulator's answer is invalid.
    package func tokens(_ count: Int, topic: String, environment: String? = nil) async throws -> [String] {
        let body = try JSONEncoder().encode(TokensRequest(topic: topic, environment: environment, count: count))
        let answer = Gathered()
        let head = try await session.run(request("tokens", body, timeLimit: 60)) { answer.append($0) }
        guard (200..<300).contains(head.status), let tokens = try? JSONDecoder().decode(Tokens.self, from: answer.data)
        else { throw Failure(description: "POST /tokens answered \(head.status)") }
        guard tokens.tokens.count == count else { throw Failure(description: "POST /tokens gave too few tokens") }
        return tokens.tokens
    }

    /// Connects phones, and passes their notifications until the task is cancelled or the simulator stops.
    ///
    /// - Parameters:
    ///   - tokens: The phones.
    ///   - onOpen: Called when the phones are connected.
    ///   - onLine: Called for each notification, one at a time.
    /// - Throws: Any error when the feed ended.
    package func follow(
        _ tokens: [String],
        onOpen: @escaping @Sendable () -> Void,
        onLine: @escaping @Sendable (FeedLine) -> Void
    ) async throws {
        let lines = Lines()
        let session = try await connected()
        let month: TimeInterval = 30 * 86_400
        let body = try JSONEncoder().encode(Tokens(tokens: tokens))
        let head = try await session.run(
            request("feed", body, timeLimit: month),
            onHead: { if $0.status == 200 { onOpen() } },
            { piece in
                for line in lines.split(piece) { FeedLine(line).map(onLine) }
                return true
            }
        )
        throw Failure(description: "the feed ended with status \(head.status)")
    }

    /// A session that has a connection.
    ///
    /// On Linux an exchange that opens its connection is woken as long as it could write, which is all the time; one on a
    /// connection that is there is not.
    private func connected() async throws -> HTTPSession {
        let session = HTTPSession(connections: 1)
        _ = try await session.run(
            TransportRequest(
                method: "GET",
                url: url.appendingPathComponent("health"),
                headers: [:],
                body: nil,
                timeLimit: 60
            )
        ) { _ in true }
        return session
    }

    private func request(_ path: String, _ body: Data, timeLimit: TimeInterval) -> TransportRequest {
        TransportRequest(
            method: "POST",
            url: url.appendingPathComponent(path),
            headers: ["Content-Type": "application/json"],
            body: body,
            timeLimit: timeLimit
        )
    }

    /// Unchecked: `lock` protects `splitter`.
    private final class Lines: @unchecked Sendable {
        private let lock = NSLock()
        private var splitter = LineSplitter()

        func split(_ piece: Data) -> [[UInt8]] { lock.withLock { splitter.split(piece) } }
    }

    /// Unchecked: `lock` protects `gathered`.
    private final class Gathered: @unchecked Sendable {
        private let lock = NSLock()
        private var gathered = Data()

        var data: Data { lock.withLock { gathered } }

        func append(_ piece: Data) -> Bool {
            lock.withLock {
                gathered.append(piece)
                return gathered.count < 64 << 20
            }
        }
    }
}
