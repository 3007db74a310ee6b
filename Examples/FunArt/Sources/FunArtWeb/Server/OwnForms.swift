#if os(Linux)
import HTTPTypes
import Hummingbird

/// Refuses forms of other sites.
///
/// `SameSite` keeps the cookie from such a request, but not the cookie that the answer would set: a foreign page could sign
/// a browser in as somebody else.
struct OwnForms: RouterMiddleware {
    func handle(
        _ request: Request,
        context: FunArtSite.Context,
        next: (Request, FunArtSite.Context) async throws -> Response
    ) async throws -> Response {
        let own = "http://" + (request.head.authority ?? "")
        guard request.method == .get || request.method == .head || (request.headers[.origin] ?? own) == own else {
            throw HTTPError(.forbidden)
        }
        return try await next(request, context)
    }
}
#endif
