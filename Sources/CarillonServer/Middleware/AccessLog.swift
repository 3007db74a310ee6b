import HTTPTypes

extension APIServer {
    /// Which requests are written to the access log.
    package enum AccessLog: String, Sendable, CaseIterable {
        case none, errors, all
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
