import Foundation
import HTTPTypes
import Hummingbird

/// Collects the routes of the API, and which methods each path takes.
struct Routes: ~Copyable {
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    private let audit: AuditTrail
    private let router = Router(context: ServerContext.self)
    private var declared: [(method: HTTPRequest.Method, path: String, handler: Handler)] = []

    init(audit: AuditTrail) { self.audit = audit }

    /// Declares a route.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - path: Its path; parts in braces are parameters.
    ///   - answersHead: Whether a GET's path takes HEAD too, which answers the same without a body.
    ///   - recorded: What of it goes to the audit log; what changes anything does unless it is said otherwise.
    ///   - handler: Answers a request.
    mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        answersHead: Bool = true,
        recorded: AuditTrail.Extent? = nil,
        _ handler: @escaping Handler
    ) {
        let extent = recorded ?? (method == .get ? .wrongKeys : .all)
        let handler = audit.recorded("\(method.rawValue) \(path)", extent, handler)
        declared.append((method, path, handler))
        guard method == .get, answersHead else { return }
        declared.append((.head, path, { try await handler($0, $1).createHeadResponse() }))
    }

    /// The responder of all routes, and which methods each path takes.
    consuming func build() -> (responder: RouterResponder<ServerContext>, methods: AllowedMethods) {
        var methods = AllowedMethods()
        for route in declared {
            methods.insert(route.method.rawValue, route.path)
            router.on(RouterPath(route.path), method: route.method, use: route.handler)
        }
        return (router.buildResponder(), methods)
    }
}

extension ServerContext {
    /// A parameter of the path, with its escapes read; empty when the route does not have it, which names nothing.
    func parameter(_ name: String) -> String {
        let text = parameters.get(name) ?? ""
        return text.removingPercentEncoding ?? text
    }
}
