/// Why there is no answer from APNs.
///
/// An open set of our own words.
public struct Failure: RawRepresentable, Hashable, Sendable {
    /// The word.
    public let rawValue: String

    /// Takes a word.
    ///
    /// - Parameter rawValue: The word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The deadline passed.
    public static let deadlinePassed = Failure(rawValue: "DeadlinePassed")
    /// The caller cancelled.
    public static let cancelled = Failure(rawValue: "Cancelled")
    /// The connection ended.
    public static let connectionLost = Failure(rawValue: "ConnectionLost")
    /// APNs announced with GOAWAY that it would not process the request.
    public static let goAway = Failure(rawValue: "GoAway")
    /// APNs refused the stream again and again (`REFUSED_STREAM`).
    public static let refused = Failure(rawValue: "Refused")
    /// APNs reset the stream for another reason.
    public static let reset = Failure(rawValue: "Reset")
    /// What came back was no answer that HTTP/2 allows.
    public static let malformedAnswer = Failure(rawValue: "MalformedAnswer")
    /// The request's headers are larger than APNs takes (`SETTINGS_MAX_HEADER_LIST_SIZE`).
    public static let headersTooLarge = Failure(rawValue: "HeadersTooLarge")
    /// No connection could be made.
    public static let noConnection = Failure(rawValue: "NoConnection")
    /// Too many notifications are waiting already.
    public static let queueFull = Failure(rawValue: "QueueFull")
    /// The pool was shut down.
    public static let shutDown = Failure(rawValue: "ShutDown")
}
