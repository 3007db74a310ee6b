import Foundation
import HTTPTypes
import Hummingbird

/// Collects the routes of the API, and which methods each path takes.
struct Routes: ~Copyable {
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    private let audit: AuditTrail
    private let credentials: Credentials
    private let router = Router(context: ServerContext.self)
    private var declared: [(method: HTTPRequest.Method, path: String, handler: Handler)] = []
    /// What is declared, without the HEAD of each GET.
    private(set) var table: [DeclaredRoute] = []

    init(audit: AuditTrail, credentials: Credentials) {
        self.audit = audit
        self.credentials = credentials
    }

    /// Declares a route.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - path: Its path; parts in braces are parameters.
    ///   - access: Who may call it; checked before the handler runs.
    ///   - answersHead: Whether a GET's path takes HEAD too, which answers the same without a body.
    ///   - recorded: What of it goes to the audit log; what changes anything does unless it is said otherwise.
    ///   - handler: Answers a call.
    mutating func on<Access: RouteAccess>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        answersHead: Bool = true,
        recorded: AuditTrail.Extent? = nil,
        _ handler: @escaping @Sendable (Access.Call) async throws -> Response
    ) {
        let extent = recorded ?? (method == .get ? .wrongKeys : .all)
        let handler = audit.recorded("\(method.rawValue) \(path)", extent) { [credentials] request, context in
            try await handler(try await access.call(request, context, credentials))
        }
        table.append(DeclaredRoute(method: method.rawValue, path: path, access: access.text, app: access.appText))
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

/// One declared route in words.
package struct DeclaredRoute: Hashable, Sendable {
    package var method: String
    package var path: String
    /// Who may call it.
    package var access: String
    /// How the App of a call with an API key is found; empty when no key is taken.
    package var app: String
}

extension ServerContext {
    /// A parameter of the path, with its escapes read; empty when the route does not have it, which names nothing.
    func parameter(_ name: String) -> String {
        let text = parameters.get(name) ?? ""
        return text.removingPercentEncoding ?? text
    }
}
