import CarillonModel
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the operator API.
struct OperatorAPI: Sendable {
    /// The server's response was an error.
    struct Refusal: Error, CustomStringConvertible {
        var path: String
        var status: Int
        var problem: Problem?

        /// The seconds of `Retry-After`.
        var retryAfter: Int?

        var description: String { words }

        /// The problem's description with the errors of its fields.
        var words: String {
            guard let problem else { return "\(path) answered \(status) without a problem: is it a Carillon server?" }
            let fields = (problem.errors ?? []).map {
                $0.field.isEmpty ? "\n  \($0.problem)" : "\n  \($0.field) \($0.problem)"
            }
            let later = retryAfter.map { " Try again in \($0) s." } ?? ""
            return (problem.detail ?? problem.title) + later + fields.joined()
        }

        /// The kind of failure by the status.
        ///
        /// A proxy before the server refuses credentials and fails without a problem; other refusals without one are
        /// those of a program that is no Carillon server.
        var kind: CommandFailure.Kind {
            switch status {
            case 401, 403: .permission
            case 429, 503: .later
            case 507: .inputOutput
            case 500...: .unavailable
            case _ where problem == nil: .software
            case 404: .missing
            case 400..<500: .data
            default: .unavailable
            }
        }
    }

    /// The server's address.
    var server: URL
    /// An API key's secret; empty for requests without one.
    var key: String

    func get<Answer: Decodable>(
        _ path: String,
        _ query: [String: String?] = [:],
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decode(try await call("GET", path, query))
    }

    func post<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await post(path, [:], body)
    }

    func post<Answer: Decodable>(
        _ path: String,
        _ query: [String: String?],
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decode(try await call("POST", path, query, body: try JSONEncoder().encode(body)))
    }

    func put<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decode(try await call("PUT", path, body: try JSONEncoder().encode(body)))
    }

    func patch<Answer: Decodable>(
        _ path: String,
        _ body: some Encodable,
        as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decode(try await call("PATCH", path, body: try JSONEncoder().encode(body)))
    }

    /// Sends a POST without a body and decodes its response, such as `POST …/pause`.
    func post<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try decode(try await call("POST", path))
    }

    func delete(_ path: String, _ query: [String: String?] = [:]) async throws {
        _ = try await call("DELETE", path, query)
    }

    /// Sends one request.
    ///
    /// - Parameters:
    ///   - method: For example `GET`.
    ///   - path: Below the server's address, with percent-encoded segments (``segment(_:)``).
    ///   - query: Names and values; those without a value are left out.
    ///   - body: The body, if any.
    ///   - contentType: The body's content type.
    /// - Returns: The response's body.
    /// - Throws: ``Refusal`` for any status but 2xx; `URLError` when the server does not answer.
    func call(
        _ method: String,
        _ path: String,
        _ query: [String: String?] = [:],
        body: Data? = nil,
        contentType: String = "application/json"
    ) async throws -> Data {
        var request = self.request(to: try url(path, query), timeout: 60)
        request.httpMethod = method
        if !key.isEmpty { request.setValue("Bearer " + key, forHTTPHeaderField: "Authorization") }
        if let body {
            request.httpBody = body
            request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse, (200..<300).contains(response.statusCode) else {
            throw Self.refusal(path, response, data)
        }
        return data
    }

    /// The error of a response whose status is not 2xx.
    static func refusal(_ path: String, _ response: URLResponse?, _ body: Data) -> Refusal {
        let response = response as? HTTPURLResponse
        return Refusal(
            path: path,
            status: response?.statusCode ?? 0,
            problem: try? JSONDecoder().decode(Problem.self, from: body),
            retryAfter: response?.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
        )
    }

    /// Percent-encodes a name as a segment of a path.
    static func segment(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: segmentCharacters) ?? ""
    }

    // MARK: - Private

    private static let segmentCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    func url(_ path: String, _ query: [String: String?]) throws -> URL {
        var components = URLComponents(url: server, resolvingAgainstBaseURL: false)
        let base = components?.percentEncodedPath ?? ""
        components?.percentEncodedPath =
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + (path.hasPrefix("/") ? path : "/" + path)
        let given = query.compactMapValues { $0 }.sorted { $0.key < $1.key }
        if !given.isEmpty {
            components?.percentEncodedQuery = given.map { Self.segment($0.key) + "=" + Self.segment($0.value) }
                .joined(separator: "&")
        }
        guard let url = components?.url else { throw URLError(.badURL) }
        return url
    }

    private func decode<Answer: Decodable>(_ data: Data) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: data)
    }
}
