import ApplePush

/// What a reason means for the connection or the credentials.
extension RejectionReason {
    /// Whether a GOAWAY with this reason will recur on the next connection.
    var isCredentialProblem: Bool {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken, .missingProviderToken,
            .badEnvironmentKeyInToken, .unrelatedKeyIDInToken, .topicDisallowed:
            true
        default: false
        }
    }

    /// Whether every further request on the same connection will get this reason.
    ///
    /// Apple's engineers say of the first that the connection stays unusable until time has passed.
    var wearsOutConnection: Bool {
        switch self {
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken, .idleTimeout, .shutdown: true
        default: false
        }
    }

    /// Whether a new connection should be delayed, to avoid the same reason.
    var asksForPause: Bool {
        switch self {
        case .tooManyProviderTokenUpdates, .unrelatedKeyIDInToken: true
        default: false
        }
    }
}
