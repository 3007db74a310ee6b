import HTTPTypes

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
