import ApplePush

/// What a reason says about the connection or the credentials, beside the notification.
extension RejectionReason {
    /// Whether a GOAWAY with this reason will come again on the next connection.
    var isCredentialProblem: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .topicDisallowed:
            true
        default: false
        }
    }

    /// Whether an answer with this reason will come to every further request on the same connection.
    ///
    /// Apple's engineers say of the first that the connection stays unusable until time has passed.
    var wearsOutConnection: Bool {
        switch self {
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken, .idleTimeout, .shutdown: true
        default: false
        }
    }

    /// Whether a new connection should wait a while, so that it does not meet with the same at once.
    var asksForPause: Bool {
        switch self {
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken: true
        default: false
        }
    }
}
