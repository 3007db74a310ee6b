public import CarillonModel

/// Why a call of the SDK failed.
///
/// What can be done later is saved all the same: a changed user, consent or device token, and every event, are sent as
/// soon as the server can be reached.
public struct CarillonError: Error, Hashable, Sendable {
    /// Which kind of error; new kinds may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The server URL, the App key or another setting is invalid; ``CarillonError/detail`` tells which.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The phone's storage or keychain cannot be read or written, as before the first unlock.
        public static let storage = Code(rawValue: "storage")
        /// The call needs a registration, and the app has not registered.
        public static let notRegistered = Code(rawValue: "notRegistered")
        /// The person did not allow notifications.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The system gave no device token.
        public static let noDeviceToken = Code(rawValue: "noDeviceToken")
        /// The server could not be reached, or its answer was invalid.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server is overloaded or fails, or a rate limit is exceeded; ``CarillonError/retryAfter`` may tell when to retry.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server refused the request; ``CarillonError/problem`` tells why.
        public static let refused = Code(rawValue: "refused")
        /// The call took longer than the deadline.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// An argument is invalid; ``CarillonError/detail`` tells why.
        ///
        /// Nothing was saved or sent.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// The call is about a person, and the app has set no user.
        public static let userRequired = Code(rawValue: "userRequired")
        /// The phone does not know where it is.
        public static let noLocation = Code(rawValue: "noLocation")
    }

    /// Why the server could not be reached; new causes may be added.
    public struct Cause: RawRepresentable, Hashable, Sendable {
        /// The cause's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no route to the server, as without a network.
        public static let noNetwork = Cause(rawValue: "noNetwork")
        /// The server took too long to answer.
        public static let timedOut = Cause(rawValue: "timedOut")
        /// The answer was invalid, as that of a captive portal.
        public static let badAnswer = Cause(rawValue: "badAnswer")
        /// The system forbids the connection: it is not encrypted as the app's settings demand.
        public static let insecure = Cause(rawValue: "insecure")
    }

    /// Which kind of error.
    public let code: Code
    /// Details for developers, without secrets and device tokens; without details of this case those of its code.
    public let detail: String
    /// The server's problem, for ``Code/refused``.
    public let problem: Problem?
    /// Why the server could not be reached, for ``Code/unreachable``, if known.
    public let cause: Cause?
    /// Seconds to wait before a retry, for ``Code/unavailable``, if the server sent them.
    public let retryAfter: Double?

    init(
        _ code: Code,
        detail: String? = nil,
        problem: Problem? = nil,
        cause: Cause? = nil,
        retryAfter: Double? = nil
    ) {
        self.code = code
        self.detail = detail ?? Self.meaning(of: code, cause)
        self.problem = problem
        self.cause = cause
        self.retryAfter = retryAfter
    }

    static let notRegistered = CarillonError(.notRegistered)
    package static let permissionDenied = CarillonError(.permissionDenied)
    static let unreachable = CarillonError(.unreachable)
    package static let userRequired = CarillonError(.userRequired)
    package static let noLocation = CarillonError(.noLocation)
    static let deadlineExceeded = CarillonError(.deadlineExceeded)
    static let cancelled = CarillonError(.cancelled)

    static func invalidConfiguration(_ detail: String) -> CarillonError {
        CarillonError(.invalidConfiguration, detail: detail)
    }

    package static func invalidArgument(_ detail: String) -> CarillonError {
        CarillonError(.invalidArgument, detail: detail)
    }

    package static func unreachable(_ cause: Cause?) -> CarillonError { CarillonError(.unreachable, cause: cause) }

    static func unavailable(_ retryAfter: Double?) -> CarillonError {
        CarillonError(.unavailable, retryAfter: retryAfter)
    }

    package static func storage(_ detail: String) -> CarillonError { CarillonError(.storage, detail: detail) }

    static func noDeviceToken(_ detail: String) -> CarillonError { CarillonError(.noDeviceToken, detail: detail) }

    static func refused(_ problem: Problem) -> CarillonError {
        CarillonError(.refused, detail: problem.detail ?? problem.title, problem: problem)
    }
}
