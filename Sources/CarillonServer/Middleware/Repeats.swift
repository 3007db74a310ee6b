import CarillonEngine
import CarillonModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The answer to a POST that created something, and what is kept of it for a repeated request.
struct Repeatable {
    var body: Data
    /// The body without secrets, which are never shown again.
    var redacted: Data
    var location: String

    init(_ value: some Encodable, location: String) throws {
        body = try Self.encoder().encode(value)
        redacted = body
        self.location = location
    }

    init<Value: Encodable>(_ value: Value, redacted: Value, location: String) throws {
        body = try Self.encoder().encode(value)
        self.redacted = try Self.encoder().encode(redacted)
        self.location = location
    }

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Makes POSTs that create repeatable: with the same `Idempotency-Key` and body a request is answered as the first
/// one was, and nothing is created again.
struct Repeats: Sendable {
    let idempotency: Idempotency
    let logger: Logger

    /// Answers a request, or repeats its answer.
    ///
    /// - Parameters:
    ///   - request: The request; without the field it is simply answered.
    ///   - principal: Whose keys they are.
    ///   - body: The request's body.
    ///   - create: Creates and answers.
    /// - Returns: The answer, or the one that was kept of the first request.
    /// - Throws: ``Problem``: 422 for a key that is none or was used with another request, 409 while the first
    ///   request is being answered.
    func answer(
        _ request: Request,
        _ principal: Principal,
        _ body: [UInt8],
        _ create: () async throws -> Repeatable
    ) async throws -> Response {
        guard let key = request.headers[.idempotencyKey] else { return response(try await create()) }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Problem.invalidField(
                FieldError(
                    field: HTTPField.Name.idempotencyKey.rawName,
                    problem: "must have 1 through 255 printable ASCII characters"
                )
            )
        }
        let fingerprint = Self.fingerprint(request, body)
        switch try await idempotency.begin(principal: principal.name, key: key, fingerprint: fingerprint) {
        case .new: return try await first(principal.name, key, create)
        case .replay(let answer): return replay(answer)
        case .mismatch: throw Problem.idempotencyKeyReused
        case .inProgress: throw Problem.idempotencyKeyInUse
        }
    }

    // MARK: - Private

    private func first(
        _ principal: String,
        _ key: String,
        _ create: () async throws -> Repeatable
    ) async throws
        -> Response
    {
        let made: Repeatable
        do {
            made = try await create()
        } catch {
            // Nothing was created: the key may be used again.
            try await idempotency.abandon(principal: principal, key: key)
            throw error
        }
        let answer = StoredAnswer(
            status: HTTPResponse.Status.created.code,
            contentType: "application/json",
            location: made.location,
            body: Array(made.redacted)
        )
        do {
            try await idempotency.finish(principal: principal, key: key, answer: answer)
        } catch {
            // It was created and that is what the caller needs to know; only a repetition will not know it.
            logger.error("Answer was not kept for repetition")
        }
        return response(made)
    }

    private func response(_ made: Repeatable) -> Response {
        Response(status: .created, headers: [.location: made.location], json: ByteBuffer(bytes: made.body))
    }

    private func replay(_ answer: StoredAnswer) -> Response {
        var headers: HTTPFields = [.idempotencyReplayed: "true"]
        headers[.contentType] = answer.contentType
        headers[.location] = answer.location
        return Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
        )
    }

    private static func fingerprint(_ request: Request, _ body: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: Data("\(request.method.rawValue) \(request.uri.path)\n".utf8))
        hash.update(data: body)
        return Array(hash.finalize())
    }
}
