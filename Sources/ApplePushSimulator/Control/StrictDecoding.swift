import Foundation
import Hummingbird
import NIOCore

extension Request {
    /// Decodes a JSON body and refuses fields that it does not have.
    ///
    /// An empty body is an empty object.
    func decodeStrictly<Body: ControlBody>(_: Body.Type, context: some RequestContext) async throws -> Body {
        try StrictJSON.decode(try await body.collect(upTo: context.maxUploadSize).readableBytesView)
    }

    /// The same, but what follows on the connection can still be waited for.
    mutating func decodeStrictlyKeeping<Body: ControlBody>(
        _: Body.Type,
        context: some RequestContext
    ) async throws -> Body {
        try StrictJSON.decode(try await collectBody(upTo: context.maxUploadSize).readableBytesView)
    }
}

/// Decodes JSON objects and refuses fields that they do not have, so that a misspelled one is not silently ignored.
enum StrictJSON {
    /// - Throws: `HTTPError` 400, whose message names the field.
    static func decode<Body: ControlBody>(_ bytes: some Collection<UInt8>) throws -> Body {
        let data = bytes.isEmpty ? Data("{}".utf8) : Data(bytes)
        let known = Set(Body.CodingKeys.allCases.map(\.stringValue))
        do {
            let fields = try JSONDecoder().decode([String: Ignored].self, from: data)
            if let unknown = fields.keys.filter({ !known.contains($0) }).min() {
                throw HTTPError(.badRequest, message: "there is no field \(JSONText.quoted(unknown))")
            }
            return try JSONDecoder().decode(Body.self, from: data)
        } catch let error as DecodingError {
            throw HTTPError(.badRequest, message: explain(error))
        }
    }

    private static func explain(_ error: DecodingError) -> String {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
            case .keyNotFound(let key, _): .init(codingPath: [key], debugDescription: "missing")
            @unknown default: nil
            }
        guard let context, !context.codingPath.isEmpty else { return "the body is not a JSON object" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return "\(path): \(context.debugDescription)"
    }
}

/// Any JSON value, not looked at.
private struct Ignored: Decodable {
    init(from decoder: any Decoder) {}
}
