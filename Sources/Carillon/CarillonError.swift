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
        /// The server is overloaded or faulty, and asks to come back later.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server said no; ``CarillonError/problem`` says why.
        public static let refused = Code(rawValue: "refused")
        /// It took longer than the deadline.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
    }

    /// Which kind of error.
    public let code: Code
    /// What exactly, for a developer to read; no secrets and no device tokens are in it.
    public let detail: String?
    /// What the server said, for ``Code/refused``.
    public let problem: Problem?

    init(_ code: Code, detail: String? = nil, problem: Problem? = nil) {
        self.code = code
        self.detail = detail
        self.problem = problem
    }

    static let notRegistered = CarillonError(.notRegistered)
    static let permissionDenied = CarillonError(.permissionDenied)
    static let unreachable = CarillonError(.unreachable)
    static let unavailable = CarillonError(.unavailable)
    static let deadlineExceeded = CarillonError(.deadlineExceeded)
    static let cancelled = CarillonError(.cancelled)

    static func invalidConfiguration(_ detail: String) -> CarillonError {
        CarillonError(.invalidConfiguration, detail: detail)
    }

    static func storage(_ detail: String) -> CarillonError { CarillonError(.storage, detail: detail) }

    static func noDeviceToken(_ detail: String) -> CarillonError { CarillonError(.noDeviceToken, detail: detail) }

    static func refused(_ problem: Problem) -> CarillonError {
        CarillonError(.refused, detail: problem.detail ?? problem.title, problem: problem)
    }
}
