import CarillonModel
import HTTPTypes
import Hummingbird
import Logging

/// What every answer gets, and what is noted of it: an id, security fields, metrics, a line in the access log.
///
/// The line has the route and not the path: paths name Devices. No field, query or body is ever written.
struct Observe: RouterMiddleware {
    typealias Context = ServerContext

    /// Which requests are written to the access log.
    let accessLog: APIServer.AccessLog
    let metrics: ServerMetrics
    /// The fields of every answer.
    let fields: HTTPFields

    init(accessLog: APIServer.AccessLog, metrics: ServerMetrics, isTLS: Bool) {
        self.accessLog = accessLog
        self.metrics = metrics
        var fields = HTTPFields()
        fields[.xContentTypeOptions] = "nosniff"
        fields[.cacheControl] = "no-store"
        fields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        fields[.referrerPolicy] = "no-referrer"
        if isTLS { fields[.strictTransportSecurity] = "max-age=31536000" }
        self.fields = fields
    }

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        metrics.begin()
        // What is below turns every error into an answer.
        var response = try await next(request, context)
        let duration = start.duration(to: .now)
        for field in fields where !response.headers.contains(field.name) { response.headers.append(field) }
        response.headers[.requestID] = context.requestID
        metrics.end(route: context.endpointPath, request.method, response.status, duration)
        if accessLog.includes(response.status) { log(request, response, context, duration) }
        return response
    }

    private func log(_ request: Request, _ response: Response, _ context: ServerContext, _ duration: Duration) {
        context.logger.info(
            "Request",
            metadata: [
                "carillon.method": "\(request.method.rawValue.prefix(16))",
                "carillon.route": "\(context.endpointPath ?? "none")",
                "carillon.status": "\(response.status.code)",
                "carillon.duration": "\(duration)",
            ]
        )
    }
}

extension APIServer.AccessLog {
    /// Whether an answer is written down.
    func includes(_ status: HTTPResponse.Status) -> Bool {
        switch self {
        case .none: false
        case .errors: status.code >= 400
        case .all: true
        }
    }
}
