import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Creates a JSON response.
    init(_ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws {
        self.init(status: status, headers: headers, json: ByteBuffer(bytes: try JSONEncoder.sorted().encode(value)))
    }

    /// Creates a response from encoded JSON.
    init(status: HTTPResponse.Status, headers: HTTPFields = [:], json: ByteBuffer) {
        var headers = headers
        headers[.contentType] = "application/json"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: json))
    }

    /// Creates an error response (RFC 9457).
    init(_ problem: Problem, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        if problem.status == 401, headers[.wwwAuthenticate] == nil { headers[.wwwAuthenticate] = Challenge.apiKey }
        if problem.status == 503 || problem.status == 429, headers[.retryAfter] == nil { headers[.retryAfter] = "1" }
        // A problem contains only strings and integers, which are always encodable.
        let body = (try? JSONEncoder.sorted().encode(problem)) ?? Data()
        self.init(
            status: HTTPResponse.Status(code: problem.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    /// 204.
    static var noContent: Response { Response(status: .noContent) }
}

/// Values of `WWW-Authenticate`.
enum Challenge {
    static let apiKey = "Bearer realm=\"carillon\""
    static let device = "Carillon realm=\"carillon\", headers=\"Carillon-App-Key Carillon-Device-Secret\""
    static let app = "Carillon realm=\"carillon\", headers=\"Carillon-App-Key\""
    static let account = "Carillon realm=\"carillon\", headers=\"Carillon-App-Key Carillon-Account-Token\""
    static let ticket = "Carillon realm=\"carillon\", query=\"ticket\""
}

extension HTTPField.Name {
    /// The App's public key.
    static let appKey = Self.known("Carillon-App-Key")
    /// The Device's secret.
    static let deviceSecret = Self.known("Carillon-Device-Secret")
    /// The token of a person who is signed in.
    static let accountToken = Self.known("Carillon-Account-Token")
    /// Makes a creating POST repeatable.
    static let idempotencyKey = Self.known("Idempotency-Key")
    /// Marks the response as a replay.
    static let idempotencyReplayed = Self.known("Idempotency-Replayed")
    /// Identifies the request in the log.
    static let requestID = Self.known("X-Request-Id")
    /// The client that a proxy forwards for.
    static let forwardedFor = Self.known("X-Forwarded-For")
    /// The scheme by which a proxy was asked.
    static let forwardedProtocol = Self.known("X-Forwarded-Proto")
    static let referrerPolicy = Self.known("Referrer-Policy")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a field's name is a token (RFC 9110)") }
        return name
    }
}
