/// Who uses the app.
public struct Person: Hashable, Sendable {
    /// The name that others see.
    public var displayName: String
    /// Whether the person has neither a name nor a password yet.
    public var isGuest: Bool

    /// Creates a person.
    ///
    /// - Parameters:
    ///   - displayName: The name that others see.
    ///   - isGuest: Whether the person has neither a name nor a password yet.
    public init(displayName: String, isGuest: Bool = false) {
        self.displayName = displayName
        self.isGuest = isGuest
    }
}

/// What a person wants to hear of.
public enum Follow: Hashable, Sendable {
    /// New events of a kind in the app's city.
    case kind(EventKind)
    /// New events around a place.
    case place(Position)

    /// The metres around a followed place.
    public static let radius = 1_000.0
}

/// Why a call failed.
public struct Failure: Error, Hashable, Sendable {
    /// Which kind of failure.
    public enum Reason: Hashable, Sendable {
        /// Nobody is signed in any more.
        case signedOut
        /// The name or the password is wrong.
        case wrongNameOrPassword
        /// Another person has the name.
        case nameTaken
        /// The name is none that a person can have.
        case invalidName
        /// The password is too short, too long, or the name.
        case invalidPassword
        /// Somebody tried too often.
        case tooManyAttempts
        /// The server cannot be reached, or does not answer.
        case unreachable
        /// The person does not allow notifications.
        case notificationsDenied
        /// The server refused for another reason.
        case refused
    }

    /// Which kind of failure.
    public var reason: Reason
    /// What the server says, for reasons that the app has no words for.
    public var message: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - reason: Which kind of failure.
    ///   - message: What the server says.
    public init(_ reason: Reason, message: String = "") {
        self.reason = reason
        self.message = message
    }
}

/// What was loaded, from the server or, without a network, from the phone's disk.
public struct Loaded<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    public var value: Value
    /// Whether it is the last answer, because the server cannot be reached now.
    public var isStored: Bool

    /// Creates a loaded value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isStored: Whether it comes from the phone's disk.
    public init(_ value: Value, isStored: Bool = false) {
        self.value = value
        self.isStored = isStored
    }
}
