import Foundation
import HTTPTypes
import Hummingbird

/// Collects the routes of the API, and which methods each path takes.
struct Routes: ~Copyable {
    private let router = Router(context: ServerContext.self, options: [.autoGenerateHeadEndpoints])
    private var declared: [(HTTPRequest.Method, String, @Sendable (Request, ServerContext) async throws -> Response)] =
        []

    /// Declares a route.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - path: Its path; parts in braces are parameters.
    ///   - handler: Answers a request.
    mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ handler: @escaping @Sendable (Request, ServerContext) async throws -> Response
    ) {
        declared.append((method, path, handler))
    }

    /// The responder of all routes, and which methods each path takes.
    consuming func build() -> (responder: RouterResponder<ServerContext>, methods: AllowedMethods) {
        var methods = AllowedMethods()
        for (method, path, _) in declared {
            methods.insert(method.rawValue, path)
            if method == .get { methods.insert(HTTPRequest.Method.head.rawValue, path) }
        }
        for (method, path, handler) in declared { router.on(RouterPath(path), method: method, use: handler) }
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
