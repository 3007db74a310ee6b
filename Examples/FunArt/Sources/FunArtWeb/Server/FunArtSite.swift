#if os(Linux)
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The app's screens as pages for a browser.
struct FunArtSite: Sendable {
    typealias Context = BasicRequestContext

    private static let phoneCookie = "fun-art-phone"
    static let languageCookie = "fun-art-language"

    let phones: WebPhones
    let renderer: PageRenderer
    /// The host of the events' pictures.
    let pictures: URL
    /// Has the next import bring a new event of a kind; returns its title.
    let announce: @Sendable (EventKind) async throws -> String

    func routes(on router: Router<Context>) {
        addAccountPages(to: router)
        addEventPages(to: router)
        addBusPages(to: router)
        addFollowPages(to: router)
        addPhone(to: router)
        addAssets(to: router)
    }

    // MARK: - Requests

    /// Answers a request with what the app on the browser's phone shows.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - needsPerson: Whether a person has to be signed in; otherwise the screen for signing in follows.
    ///   - body: What is done on the phone.
    /// - Returns: The response.
    /// - Throws: What the body throws, and when a new phone cannot be made.
    func answer(
        _ request: Request,
        needsPerson: Bool = true,
        _ body: @escaping @MainActor @Sendable (FunArtModel, Visit) async throws -> Outcome
    ) async throws -> Response {
        let known = Self.cookie(Self.phoneCookie, of: request)
        let (phone, secret) = try await phones.phone(known, language: Self.language(of: request))
        let visit = Self.visit(request, phone)
        let outcome = try await phone.withModel { app in
            guard !needsPerson || app.state.place == .kinds else { return Outcome.redirect("/sign-in") }
            let outcome = try await body(app, visit)
            // The session may have ended with this very call.
            return needsPerson && app.state.place != .kinds ? .redirect("/sign-in") : outcome
        }
        var response = response(outcome)
        if let secret {
            response.setCookie(Cookie(name: Self.phoneCookie, value: secret, path: "/", sameSite: .lax))
        }
        return response
    }

    /// The browser's phone, for what is no page.
    func phone(_ request: Request) async -> (WebPhone, Visit)? {
        guard let secret = Self.cookie(Self.phoneCookie, of: request), let phone = await phones.known(secret) else {
            return nil
        }
        return (phone, Self.visit(request, phone))
    }

    /// The fields of a form.
    static func form(_ request: Request) async throws -> [String: String] {
        var request = request
        let body = try await request.collectBody(upTo: 16_384)
        return try URLEncodedFormDecoder().decode([String: String].self, from: String(buffer: body))
    }

    func html(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"]
        // What comes from here alone, but for the pictures, and no framing by other pages.
        headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \(pictures.absoluteString); \
            connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
            """
        if let name = HTTPField.Name("referrer-policy") { headers[name] = "same-origin" }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    // MARK: - Private

    private func response(_ outcome: Outcome) -> Response {
        switch outcome {
        case .page(let text): html(text)
        case .missing(let text): html(text, .notFound)
        case .redirect(let path): Response.redirect(to: path, type: .normal)
        }
    }

    private static func cookie(_ name: String, of request: Request) -> String? { request.cookies[name]?.value }

    private static func language(of request: Request) -> Language {
        let chosen = cookie(languageCookie, of: request).flatMap(Language.init(rawValue:))
        let accepted = (request.headers[.acceptLanguage] ?? "").split(separator: ",").map {
            String($0.prefix { $0 != ";" }.drop { $0 == " " })
        }
        return chosen ?? Language(preferred: accepted)
    }

    private static func visit(_ request: Request, _ phone: WebPhone) -> Visit {
        let pairs = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
        return Visit(
            language: language(of: request),
            path: request.uri.path,
            query: Dictionary(pairs) { first, _ in first },
            notifications: phone.notifications
        )
    }
}

extension RequestContext {
    /// An id in the request's path, where it is escaped.
    func id(_ name: String) throws -> String {
        guard let id = try parameters.require(name).removingPercentEncoding else { throw HTTPError(.notFound) }
        return id
    }
}
#endif
