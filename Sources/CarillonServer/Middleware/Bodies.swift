package import CarillonModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Maximum sizes of request bodies, in bytes.
enum BodyLimit {
    /// Most bodies.
    static let standard = 64 * 1024
    /// Audiences: they may list 10,000 Users.
    static let list = 2 * 1024 * 1024
    /// Campaigns: they may have 10,000 recipients with values.
    ///
    /// One larger than ``list`` needs a place: see ``KeyCall/campaignBody(app:)``.
    static let campaign = 8 * 1024 * 1024
    /// Templates: they may have 64 languages.
    static let template = 512 * 1024
    /// Batches of 500 events.
    static let events = 512 * 1024
}

extension Request {
    /// Reads the body of a JSON request.
    ///
    /// - Parameters:
    ///   - limit: Maximum size in bytes.
    ///   - isLarge: Is called once when it has more bytes than ``BodyLimit/list``, before they are read.
    /// - Returns: The bytes, not yet parsed.
    /// - Throws: ``Problem``: 415 unless its content type is JSON, 413 when it is too large; what `isLarge` throws.
    func jsonBody(upTo limit: Int, _ isLarge: () async throws -> Void = {}) async throws -> [UInt8] {
        guard isJSON else { throw Problem.unsupportedMediaType }
        if let announced = first(.contentLength).flatMap({ Int($0) }), announced > limit {
            throw Problem.bodyTooLarge(limit: limit)
        }
        var bytes: [UInt8] = []
        for try await part in body {
            let count = bytes.count + part.readableBytes
            guard count <= limit else { throw Problem.bodyTooLarge(limit: limit) }
            if bytes.count <= BodyLimit.list, count > BodyLimit.list { try await isLarge() }
            bytes.append(contentsOf: part.readableBytesView)
        }
        return bytes
    }

    /// Decodes the body from JSON.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self, upTo limit: Int) async throws -> Value {
        try JSONBody.decode(type, from: try await jsonBody(upTo: limit))
    }

    /// Decodes the body from JSON; `nil` when there is none.
    func decodedIfPresent<Value: Decodable>(
        _ type: Value.Type = Value.self,
        upTo limit: Int
    ) async throws -> Value? {
        if first(.contentType) == nil {
            // Without a content type the body must be empty.
            for try await part in body where part.readableBytes > 0 { throw Problem.unsupportedMediaType }
            return nil
        }
        return try await decoded(type, upTo: limit)
    }

    private var isJSON: Bool {
        guard let type = first(.contentType) else { return false }
        if type == "application/json" { return true }
        let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return essence.lowercased() == "application/json"
    }
}

/// Strict decoding of JSON bodies.
package enum JSONBody {
    /// Decodes a value.
    ///
    /// - Throws: ``Problem``: 400 when the text is not JSON, is nested too deep or has a duplicate name; 422 with the
    ///   fields whose values do not fit the type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(Problem) -> Value {
        do {
            try JSONSyntax.check(bytes)
        } catch {
            throw .malformedJSON(error.description)
        }
        do {
            return try value(type, from: Data(bytes))
        } catch {
            guard let first = error.error else { throw .malformedJSON("The body cannot be read.") }
            throw .invalidFields(FieldErrors.all(of: type, in: bytes, after: first))
        }
    }

    /// The first error of a body's fields; `nil` when there is none.
    static func error<Value: Decodable>(_ type: Value.Type, in data: Data) -> FieldError? {
        do {
            _ = try value(type, from: data)
            return nil
        } catch {
            return error.error
        }
    }

    /// Decodes a value.
    ///
    private static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws(FieldFailure) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as FieldError {
            throw FieldFailure(error: error)
        } catch let error as DecodingError {
            throw FieldFailure(error: FieldError(withoutValue: error))
        } catch {
            throw FieldFailure(error: nil)
        }
    }
}

/// Why a body does not decode.
private struct FieldFailure: Error {
    /// `nil` when it is about no field.
    var error: FieldError?
}

extension FieldError {
    /// The decoder's error without the value, which the standard library includes for enumerations.
    init(withoutValue error: DecodingError) {
        self.init(error)
        if problem.hasPrefix("Cannot initialize") { problem = "must be one of the documented values" }
        if field.utf8.count > 256 { field = String(field.prefix(200)) + "…" }
    }
}
