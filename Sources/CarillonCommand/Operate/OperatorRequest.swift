import CarillonModel
import Foundation

/// A request of a command to the operator API.
struct OperatorRequest: Sendable {
    /// Where the request names the App.
    enum AppPlace: Sendable {
        /// Nowhere: an id names the object, or the path has `{app}`.
        case nowhere
        /// As a filter, when `--app` is given.
        case filter
        /// As a query parameter, which a key of the server requires.
        case query
    }

    var method: String
    var path: APIPath
    var query: [String: String?]
    var body: JSONValue?
    var app: AppPlace

    init(
        _ method: String,
        _ path: APIPath,
        query: [String: String?] = [:],
        body: JSONValue? = nil,
        app: AppPlace = .nowhere
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.app = app
    }
}

/// A path of the API: interpolated values are percent-encoded as segments, `{app}` stands for the command's App.
struct APIPath: ExpressibleByStringInterpolation, Sendable {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { text += OperatorAPI.segment(value) }
    }

    private let text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Whether it has `{app}`; encoded segments have no braces.
    var needsApp: Bool { text.contains("{app}") }

    /// The path with the App's id.
    func resolved(app: String?) -> String {
        app.map { text.replacing("{app}", with: OperatorAPI.segment($0)) } ?? text
    }
}
