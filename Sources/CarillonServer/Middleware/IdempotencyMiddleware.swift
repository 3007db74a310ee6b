import CarillonEngine
import CarillonModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The answer to a POST that creates a value.
struct CreatedAnswer<Value: Encodable & Sendable>: Sendable {
    /// Where the value is.
    let location: @Sendable (Value) -> String
    /// Takes out what is shown once.
    var redact: @Sendable (Value) -> Value = { $0 }

    fileprivate func response(_ value: Value) throws -> Response {
        Response(
            status: .created,
            headers: [.location: location(value)],
            json: ByteBuffer(bytes: try Self.encoder().encode(value))
        )
    }

    fileprivate func stored(_ value: Value) throws(StoreError) -> StoredAnswer {
        do {
            return StoredAnswer(
                status: HTTPResponse.Status.created.code,
                contentType: "application/json",
                location: location(value),
                body: Array(try Self.encoder().encode(redact(value)))
            )
        } catch {
            throw .failed("An answer cannot be encoded.")
        }
    }

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

/// Makes POSTs that create repeatable: with the same `Idempotency-Key` and body a request is answered as the first
/// one was, and nothing is created again.
struct IdempotencyMiddleware: Sendable {
    let idempotency: Idempotency

    /// Answers a request, or repeats its answer.
    ///
    /// - Parameters:
    ///   - call: The request; without the field it is simply answered.
    ///   - body: The request's body.
    ///   - answer: How what is created is answered.
    ///   - create: Creates; it commits the answer with what it creates.
    /// - Returns: The answer, or the one that was kept of the first request.
    /// - Throws: ``Problem``: 422 for a key that is none or was used with another request, 409 when an earlier version
    ///   left it without an answer; otherwise what `create` throws.
    func answer<Value: Encodable & Sendable>(
        _ call: KeyCall<some AppBinding>,
        _ body: [UInt8],
        _ answer: CreatedAnswer<Value>,
        create: (IdempotentRequest<Value>?) async throws -> Value
    ) async throws -> Response {
        guard let text = call.request.headers[.idempotencyKey] else {
            return try answer.response(try await create(nil))
        }
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Problem.invalidField(
                FieldError(
                    field: HTTPField.Name.idempotencyKey.rawName,
                    problem: "must have 1 through 255 printable ASCII characters"
                )
            )
        }
        let key = idempotency.key(
            principal: call.principal.name,
            key: text,
            fingerprint: Self.fingerprint(call.request, body)
        )
        if let known = try await known(key) { return known }
        let repeatable = IdempotentRequest<Value>(key: key) { value throws(StoreError) in try answer.stored(value) }
        do {
            return try answer.response(try await create(repeatable))
        } catch {
            // It may have failed because the same request was answered meanwhile. If nobody can say what became of it,
            // the next request with the key waits for the transaction in doubt.
            if let known = try? await known(key) { return known }
            throw error
        }
    }

    // MARK: - Private

    private func known(_ key: IdempotencyKey) async throws -> Response? {
        switch try await idempotency.start(key) {
        case .new: nil
        case .replay(let answer): replay(answer)
        case .mismatch: throw Problem.idempotencyKeyReused
        case .inProgress: throw Problem.idempotencyKeyInUse
        }
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
