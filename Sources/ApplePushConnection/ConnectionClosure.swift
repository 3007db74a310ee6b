public import ApplePush

/// Why a connection to APNs ended, or accepts no more requests.
public struct ConnectionClosure: Error, Hashable, Sendable {
    /// The kind of closure.
    ///
    /// An open set.
    public struct Cause: RawRepresentable, Hashable, Sendable {
        /// The name of the cause.
        public let rawValue: String

        /// Creates a cause.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was not needed any more, or it reached its last stream.
        public static let drained = Cause(rawValue: "Drained")
        /// APNs sent GOAWAY; ``ConnectionClosure/reason`` has its reason.
        public static let goAway = Cause(rawValue: "GoAway")
        /// An answer made the connection unusable; ``ConnectionClosure/reason`` has its reason.
        public static let wornOut = Cause(rawValue: "WornOut")
        /// APNs closed it without GOAWAY, or the network failed.
        public static let lost = Cause(rawValue: "Lost")
        /// Neither an answer nor a PING acknowledgement arrived in time.
        public static let unresponsive = Cause(rawValue: "Unresponsive")
        /// APNs violated HTTP/2; ``ConnectionClosure/detail`` names the rule.
        public static let protocolViolation = Cause(rawValue: "ProtocolViolation")
        /// It could not be made: lookup, network or TLS failed.
        public static let connectFailed = Cause(rawValue: "ConnectFailed")
        /// The proxy refused the tunnel; ``ConnectionClosure/detail`` has its reason.
        public static let proxyFailed = Cause(rawValue: "ProxyFailed")
        /// The peer does not support HTTP/2 (ALPN).
        public static let notHTTP2 = Cause(rawValue: "NotHTTP2")
    }

    /// The kind of closure.
    public let cause: Cause
    /// The reason in APNs' GOAWAY, if any.
    public let reason: RejectionReason?
    /// The HTTP/2 error code of the GOAWAY, sent or received.
    public let code: UInt32?
    /// A constant description; may be empty.
    public let detail: String

    package init(_ cause: Cause, reason: RejectionReason? = nil, code: UInt32? = nil, detail: String = "") {
        self.cause = cause
        self.reason = reason
        self.code = code
        self.detail = detail
    }
}

extension ConnectionClosure: CustomStringConvertible {
    /// The cause, with its reason, code and detail where there are any; no credentials.
    public var description: String {
        var text = cause.rawValue
        if let reason { text += " (\(reason.rawValue))" }
        if let code { text += ", HTTP/2 code \(code)" }
        return detail.isEmpty ? text + "." : text + ": " + detail
    }
}

extension ConnectionClosure.Cause {
    /// Whether there never was a connection.
    var isUnreachable: Bool { self == .connectFailed || self == .proxyFailed || self == .notHTTP2 }
}
