public import CarillonModel

/// Why a call of the SDK did not do what it was asked to.
///
/// What was asked for is kept all the same where it can be done later: a changed user, consent or device token, and
/// every event, are sent as soon as the server can be reached.
public struct CarillonError: Error, Hashable, Sendable {
    /// Which kind of error; new kinds may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Wraps a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The server URL, the App key or another setting cannot be used; ``CarillonError/detail`` says which.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The phone's storage or keychain cannot be read or written, as before the first unlock.
        public static let storage = Code(rawValue: "storage")
        /// The call needs a registration, and the app has not registered.
        public static let notRegistered = Code(rawValue: "notRegistered")
        /// The person did not allow notifications.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The system gave no device token.
        public static let noDeviceToken = Code(rawValue: "noDeviceToken")
        /// The server could not be reached, or its answer made no sense.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The server is overloaded or faulty, or was asked too much, and asks to come back later;
        /// ``CarillonError/retryAfter`` may say when.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server said no; ``CarillonError/problem`` says why.
        public static let refused = Code(rawValue: "refused")
        /// It took longer than the deadline.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A value that was passed in cannot be used; ``CarillonError/detail`` says why.
        ///
        /// Nothing was kept or sent.
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

        /// There is no way to the server, as without a network.
        public static let noNetwork = Cause(rawValue: "noNetwork")
        /// The server took too long to answer.
        public static let timedOut = Cause(rawValue: "timedOut")
        /// An answer came that makes no sense, as from a hotel's network.
        public static let badAnswer = Cause(rawValue: "badAnswer")
        /// The system forbids the way: it is not encrypted as the app's settings demand.
        public static let insecure = Cause(rawValue: "insecure")
    }

    /// Which kind of error.
    public let code: Code
    /// What exactly, for a developer to read; no secrets and no device tokens are in it.
    public let detail: String?
    /// What the server said, for ``Code/refused``.
    public let problem: Problem?
    /// Why the server could not be reached, for ``Code/unreachable``, where that is known.
    public let cause: Cause?
    /// After how many seconds to ask again, for ``Code/unavailable``, where the server said so.
    public let retryAfter: Double?

    init(
        _ code: Code,
        detail: String? = nil,
        problem: Problem? = nil,
        cause: Cause? = nil,
        retryAfter: Double? = nil
    ) {
        self.code = code
        self.detail = detail
        self.problem = problem
        self.cause = cause
        self.retryAfter = retryAfter
    }

    static let notRegistered = CarillonError(.notRegistered)
    static let permissionDenied = CarillonError(.permissionDenied)
    static let unreachable = CarillonError(.unreachable)
    static let userRequired = CarillonError(.userRequired)
    static let noLocation = CarillonError(.noLocation)
    static let deadlineExceeded = CarillonError(.deadlineExceeded)
    static let cancelled = CarillonError(.cancelled)

    static func invalidConfiguration(_ detail: String) -> CarillonError {
        CarillonError(.invalidConfiguration, detail: detail)
    }

    static func invalidArgument(_ detail: String) -> CarillonError { CarillonError(.invalidArgument, detail: detail) }

    static func unreachable(_ cause: Cause?) -> CarillonError { CarillonError(.unreachable, cause: cause) }

    static func unavailable(_ retryAfter: Double?) -> CarillonError {
        CarillonError(.unavailable, retryAfter: retryAfter)
    }

    static func storage(_ detail: String) -> CarillonError { CarillonError(.storage, detail: detail) }

    static func noDeviceToken(_ detail: String) -> CarillonError { CarillonError(.noDeviceToken, detail: detail) }

    static func refused(_ problem: Problem) -> CarillonError {
        CarillonError(.refused, detail: problem.detail ?? problem.title, problem: problem)
    }
}
