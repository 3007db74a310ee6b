public import ApplePush

/// Why a connection to APNs ended, or takes no more requests.
public struct ConnectionClosure: Error, Hashable, Sendable {
    /// The kind of end.
    ///
    /// An open set.
    public struct Cause: RawRepresentable, Hashable, Sendable {
        /// The word.
        public let rawValue: String

        /// Takes a word.
        ///
        /// - Parameter rawValue: The word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// We had no more use for it, or it reached its last stream.
        public static let drained = Cause(rawValue: "Drained")
        /// APNs said GOAWAY; ``ConnectionClosure/reason`` is what it gave as the reason.
        public static let goAway = Cause(rawValue: "GoAway")
        /// An answer said that the connection is of no more use; ``ConnectionClosure/reason`` is that of the answer.
        public static let wornOut = Cause(rawValue: "WornOut")
        /// The other side closed without a word, or the network broke.
        public static let lost = Cause(rawValue: "Lost")
        /// Neither an answer nor the echo of a PING came in time.
        public static let unresponsive = Cause(rawValue: "Unresponsive")
        /// The other side broke a rule of HTTP/2; ``ConnectionClosure/detail`` says which.
        public static let protocolViolation = Cause(rawValue: "ProtocolViolation")
        /// It could not be made: name, network or TLS.
        public static let connectFailed = Cause(rawValue: "ConnectFailed")
        /// The proxy made no tunnel; ``ConnectionClosure/detail`` says why.
        public static let proxyFailed = Cause(rawValue: "ProxyFailed")
        /// The other side does not speak HTTP/2 (ALPN).
        public static let notHTTP2 = Cause(rawValue: "NotHTTP2")
    }

    /// The kind of end.
    public let cause: Cause
    /// What APNs gave as the reason in its GOAWAY, if it gave one.
    public let reason: RejectionReason?
    /// The HTTP/2 error code of the GOAWAY, sent or received.
    public let code: UInt32?
    /// What happened, in constant words; empty when there is nothing to add.
    public let detail: String

    package init(_ cause: Cause, reason: RejectionReason? = nil, code: UInt32? = nil, detail: String = "") {
        self.cause = cause
        self.reason = reason
        self.code = code
        self.detail = detail
    }
}
