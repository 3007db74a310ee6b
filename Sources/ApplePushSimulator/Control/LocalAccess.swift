import HTTPTypes
import Hummingbird

/// Protects the control API from other web pages.
///
/// The API listens on the developer's own machine, where their browser also runs foreign pages. Two attacks are
/// possible, and both are blocked:
/// - DNS rebinding: an attacker's name that resolves to 127.0.0.1 gives a page same-origin access to the API. So the
///   requested host must be an address, a loopback name, or an allowed name.
/// - Cross-site request forgery: a page may send requests anywhere, even if it cannot read the responses. Browsers send
///   their origin in `Origin` and `Sec-Fetch-Site`; other programs do not.
struct LocalAccess: Hashable, Sendable {
    /// Further allowed host names, in lower case.
    var names: Set<String> = []

    /// Why a request is refused; nil when it is allowed.
    func objection(to request: HTTPRequest) -> String? {
        guard let authority = request.authority, let host = Self.host(of: authority), isAllowed(host) else {
            return "the requested host name is not allowed; see --control-name"
        }
        let fields = request.headerFields
        if let origin = fields[.origin], origin.lowercased() != "http://" + authority.lowercased() {
            return "the request comes from a page of another origin"
        }
        guard let site = HTTPField.Name("sec-fetch-site").flatMap({ fields[$0] }) else { return nil }
        let isOpened = Self.isNavigation(fields) && [.get, .head].contains(request.method)
        guard ["same-origin", "none"].contains(site) || isOpened else {
            return "the request comes from a page of another site"
        }
        return nil
    }

    // MARK: - Private

    private func isAllowed(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || Self.isAddress(host) || names.contains(host)
    }

    /// Whether it follows a link to the page, which shows it and passes no data.
    private static func isNavigation(_ fields: HTTPFields) -> Bool {
        HTTPField.Name("sec-fetch-mode").flatMap { fields[$0] } == "navigate"
            && HTTPField.Name("sec-fetch-dest").flatMap { fields[$0] } == "document"
    }

    /// The host without its port, in lower case; nil when it is malformed.
    static func host(of authority: String) -> String? {
        let authority = authority.lowercased()
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return isPort(authority[authority.index(after: end)...]) ? String(authority[...end]) : nil
        }
        let host = authority.prefix { $0 != ":" }
        return host.isEmpty || !isPort(authority[host.endIndex...]) ? nil : String(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || (text.first == ":" && text.count <= 6 && text.dropFirst().utf8.allSatisfy { (48...57).contains($0) })
    }

    /// Whether the host is an address, which cannot be rebound.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.dropFirst().dropLast().utf8.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { (48...57).contains($0) } }
    }
}

/// Refuses requests by ``LocalAccess``, and adds security headers to responses.
struct LocalAccessMiddleware: RouterMiddleware {
    typealias Context = ControlAPI.Context

    let access: LocalAccess

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let objection = access.objection(to: request.head) {
            throw HTTPError(.forbidden, message: objection)
        }
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        if let policy = HTTPField.Name("cross-origin-resource-policy") {
            response.headers[policy] = "same-origin"
        }
        return response
    }
}
