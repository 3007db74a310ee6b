import Foundation
import HTTPTypes
import Hummingbird

/// Collects the routes of the API and the methods of each path.
struct Routes: ~Copyable {
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    private let audit: AuditTrail
    private let credentials: Credentials
    private let router = Router(context: ServerContext.self)
    private var declared: [(method: HTTPRequest.Method, path: String, handler: Handler)] = []
    /// The declared routes, without the HEAD of each GET.
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
    ///   - answersHead: Whether a GET's path also accepts HEAD.
    ///   - recorded: Which requests the audit log records; by default those that change something.
    ///   - query: The names that its query may have, beside an `app` that the access implies.
    ///   - handler: Answers a call.
    mutating func on<Access: RouteAccess>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        answersHead: Bool = true,
        recorded: AuditTrail.Extent? = nil,
        query: [String] = [],
        _ handler: @escaping @Sendable (Access.Call) async throws -> Response
    ) {
        let extent = recorded ?? (method == .get ? .wrongKeys : .all)
        let names = access.queryNames + query
        let handler = audit.recorded("\(method.rawValue) \(path)", extent) { [credentials] request, context in
            let call = try await access.call(request, context, credentials)
            if !access.ignoresUnknownNames { try Query.check(request, names) }
            return try await handler(call)
        }
        table.append(
            DeclaredRoute(method: method.rawValue, path: path, access: access.text, app: access.appText, query: names)
        )
        declared.append((method, path, handler))
        guard method == .get, answersHead else { return }
        declared.append((.head, path, { try await handler($0, $1).createHeadResponse() }))
    }

    /// The responder of all routes, and the methods of each path.
    consuming func build() -> (responder: RouterResponder<ServerContext>, methods: AllowedMethods) {
        var methods = AllowedMethods()
        for route in declared {
            methods.insert(route.method.rawValue, route.path)
            router.on(RouterPath(route.path), method: route.method, use: route.handler)
        }
        return (router.buildResponder(), methods)
    }
}

/// A declared route, described.
package struct DeclaredRoute: Hashable, Sendable {
    package var method: String
    package var path: String
    /// Who may call it.
    package var access: String
    /// Where a call with an API key names its App; empty when no API key is accepted.
    package var app: String
    /// The names that its query may have.
    package var query: [String]
}

extension ServerContext {
    /// A decoded parameter of the path; empty when the route does not have it, which never parses.
    func parameter(_ name: String) -> String {
        let text = parameters.get(name) ?? ""
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return text.removingPercentEncoding ?? text
    }
}
