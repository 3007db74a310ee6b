import HTTPTypes
import Hummingbird
import Logging

extension APIServer {
    /// Which requests are logged.
    package enum AccessLog: String, Sendable, CaseIterable {
        case none, errors, all
    }
}

extension APIServer.AccessLog {
    /// Whether a response is logged.
    func includes(_ status: HTTPResponse.Status) -> Bool {
        switch self {
        case .none: false
        case .errors: status.code >= 400
        case .all: true
        }
    }
}

extension RootResponder {
    /// Writes the line of a request: its route and not its path, because paths name Devices.
    func log(_ request: Request, _ response: Response, _ context: ServerContext, _ duration: Duration) {
        context.logger.info(
            "Request",
            metadata: context.metadata([
                "carillon.method": "\(request.method.rawValue.prefix(16))",
                "carillon.route": "\(context.endpointPath ?? "none")",
                "carillon.status": "\(response.status.code)",
                "carillon.duration": "\(duration)",
            ])
        )
    }
}

extension ServerContext {
    /// Log metadata, with the request id.
    func metadata(_ facts: Logger.Metadata) -> Logger.Metadata {
        var facts = facts
        facts["carillon.request"] = "\(requestID.text)"
        return facts
    }
}
