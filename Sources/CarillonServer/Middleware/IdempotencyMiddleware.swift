import CarillonEngine
import CarillonModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// How to answer a POST that creates a value.
struct CreatedAnswer<Value: Encodable & Sendable>: Sendable {
    /// The path of the value.
    let location: @Sendable (Value) -> String
    /// Removes secrets, which are returned only once.
    var redact: @Sendable (Value) -> Value = { $0 }

    fileprivate func response(_ value: Value) throws -> Response {
        Response(
            status: .created,
            headers: [.location: location(value)],
            json: ByteBuffer(bytes: try JSONEncoder.sorted().encode(value))
        )
    }

    fileprivate func stored(_ value: Value) throws(StoreError) -> StoredAnswer {
        do {
            return StoredAnswer(
                status: HTTPResponse.Status.created.code,
                contentType: "application/json",
                location: location(value),
                body: Array(try JSONEncoder.sorted().encode(redact(value)))
            )
        } catch {
            throw .failed("An answer cannot be encoded.")
        }
    }
}

/// Makes creating POSTs repeatable: the same `Idempotency-Key` and body get the first response again, and nothing is
/// created twice.
struct IdempotencyMiddleware: Sendable {
    let idempotency: Idempotency

    /// Answers a request, or replays its response.
    ///
    /// - Parameters:
    ///   - call: The request; without the field it is answered normally.
    ///   - body: The request's body.
    ///   - answer: How to answer it.
    ///   - create: Creates the value, and commits the response in the same transaction.
    /// - Returns: The response, or the stored response to the first request.
    /// - Throws: ``Problem``: 422 for a key that is malformed or was used with another request, 409 when an earlier
    ///   version stored no response; otherwise what `create` throws.
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
            // The same request may have been answered meanwhile. If this is not known, the next request with the key
            // waits for the transaction in doubt.
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
        hash.update(data: Data("\(request.method.rawValue) \(request.uri.string)\n".utf8))
        hash.update(data: body)
        return Array(hash.finalize())
    }
}
