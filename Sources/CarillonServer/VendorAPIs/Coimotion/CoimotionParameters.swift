import CarillonContentSets
import CarillonModel
import Foundation
import Hummingbird
import NIOCore

/// The parameters of a call, of its body and its query; those of the body count more.
///
/// Numbers come as numbers or as texts, arrays also as texts that have their JSON, as the vendor's SDKs send them.
struct CoimotionParameters: Sendable {
    let values: [String: JSONValue]

    init(_ values: [String: JSONValue]) { self.values = values }

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: Maximum size of the body in bytes.
    /// - Returns: Its parameters.
    /// - Throws: ``CoimotionFailure`` for a body that is no JSON object.
    static func read(_ request: Request, upTo limit: Int = BodyLimit.standard) async throws -> Self {
        let query = query(of: request)
        guard request.method == .post, let body = try await members(of: request, upTo: limit) else { return query }
        return query.merging(body)
    }

    /// The parameters in the query.
    static func query(of request: Request) -> Self {
        var values: [String: JSONValue] = [:]
        for (name, value) in request.uri.queryParameters where values[String(name)] == nil {
            values[String(name)] = .string(String(value))
        }
        return Self(values)
    }

    /// These and others, which count more.
    func merging(_ others: [String: JSONValue]) -> Self { Self(values.merging(others) { $1 }) }

    /// The members of the body; `nil` when there is none.
    private static func members(of request: Request, upTo limit: Int) async throws -> [String: JSONValue]? {
        guard request.first(.contentType) != nil else {
            for try await part in request.body where part.readableBytes > 0 { throw Problem.unsupportedMediaType }
            return nil
        }
        let bytes = try await request.jsonBody(upTo: limit)
        if bytes.isEmpty { return nil }
        if let object = PlainJSON.object(bytes) { return object }
        guard let object = try JSONBody.decode(JSONValue.self, from: bytes).object else {
            throw CoimotionFailure.malformed(400, "The body must be a JSON object.")
        }
        return object
    }

    /// The session's token; `nil` for none, which the vendor's SDKs write in three ways.
    func token() throws -> String? {
        let text = try text("token")
        return text == "N/A" ? nil : text
    }

    // MARK: Values

    /// A text or a number as text; `nil` when it is missing, null or empty.
    ///
    /// - Throws: ``CoimotionFailure`` for an array or an object.
    func text(_ name: String) throws -> String? {
        guard let value = values[name], value != .null else { return nil }
        guard let text = value.plainText else { throw CoimotionFailure.wrong(name, "must be a text or a number") }
        return text.isEmpty ? nil : text
    }

    /// A number, also as text; `nil` when it is missing.
    func number(_ name: String) throws -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Double(text.trimmingCharacters(in: .whitespaces)), number.isFinite else {
            throw CoimotionFailure.wrong(name, "must be a number")
        }
        return number
    }

    /// A whole number, also as text; `nil` when it is missing.
    func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CoimotionFailure.wrong(name, "must be \(range.lowerBound) through \(range.upperBound)")
        }
        return number
    }

    /// Texts: of an array, of a text that has one, or of a single value; `nil` when it is missing.
    func texts(_ name: String, atMost limit: Int) throws -> [String]? {
        let list: [JSONValue]
        if let array = values[name]?.array {
            list = array
        } else {
            guard let text = try text(name) else { return nil }
            guard text.hasPrefix("[") else { return [text] }
            let decoded = try? JSONBody.decode(JSONValue.self, from: Array(text.utf8))
            guard let array = decoded?.array else { throw CoimotionFailure.wrong(name, "must be a text or an array") }
            list = array
        }
        let texts = list.compactMap(\.plainText)
        guard texts.count == list.count else { throw CoimotionFailure.wrong(name, "must have texts and numbers alone") }
        guard texts.count <= limit else { throw CoimotionFailure.wrong(name, "must have at most \(limit) values") }
        return texts.isEmpty ? nil : texts
    }

    /// A day as `yyyy-MM-dd`, in days since 1970-01-01; `nil` when it is missing.
    func day(_ name: String) throws -> Int? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count == 10, text.contains("-"), let day = LocalTime.day(text) else {
            throw CoimotionFailure.wrong(name, "must be a day such as 2026-11-26")
        }
        return day
    }

    /// A place that must be there.
    func place() throws -> ContentPosition {
        guard let latitude = try number("lat") else { throw CoimotionFailure.wrong("lat", "is required") }
        guard let longitude = try number("lng") else { throw CoimotionFailure.wrong("lng", "is required") }
        guard (-90...90).contains(latitude) else { throw CoimotionFailure.wrong("lat", "must be -90 through 90") }
        guard let place = ContentPosition(latitude: latitude, longitude: longitude) else {
            throw CoimotionFailure.wrong("lng", "must be -180 through 180")
        }
        return place
    }

    /// The radius in metres, which comes in kilometres.
    func radius() throws -> Double? {
        guard let kilometres = try number("r") else { return nil }
        let metres = kilometres * 1_000
        guard metres > 0, metres <= ContentQuery.Near.maximumRadius else {
            throw CoimotionFailure.wrong("r", "must be more than 0 and at most 200 kilometres")
        }
        return metres
    }
}

extension JSONValue {
    /// A text or a number as text; `nil` for anything else.
    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): integer.map { String($0) } ?? String(number)
        case .bool(let flag): flag ? "1" : "0"
        case .null, .array, .object: nil
        }
    }
}
