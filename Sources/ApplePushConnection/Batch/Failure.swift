/// Why there is no answer from APNs.
///
/// An open set of the library's own values.
public struct Failure: RawRepresentable, Hashable, Sendable {
    /// The name of the failure.
    public let rawValue: String

    /// Creates a failure.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The deadline passed.
    public static let deadlinePassed = Failure(rawValue: "DeadlinePassed")
    /// The caller cancelled.
    public static let cancelled = Failure(rawValue: "Cancelled")
    /// The connection ended.
    public static let connectionLost = Failure(rawValue: "ConnectionLost")
    /// GOAWAY of APNs excluded the request from processing.
    public static let goAway = Failure(rawValue: "GoAway")
    /// APNs refused the stream repeatedly (`REFUSED_STREAM`).
    public static let refused = Failure(rawValue: "Refused")
    /// APNs reset the stream for another reason.
    public static let reset = Failure(rawValue: "Reset")
    /// The answer is malformed by the rules of HTTP/2.
    public static let malformedAnswer = Failure(rawValue: "MalformedAnswer")
    /// The request's headers exceed APNs' limit (`SETTINGS_MAX_HEADER_LIST_SIZE`).
    public static let headersTooLarge = Failure(rawValue: "HeadersTooLarge")
    /// No connection could be made.
    public static let noConnection = Failure(rawValue: "NoConnection")
    /// Too many notifications are waiting.
    public static let queueFull = Failure(rawValue: "QueueFull")
    /// The pool was shut down.
    public static let shutDown = Failure(rawValue: "ShutDown")
}
