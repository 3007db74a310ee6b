import ApplePush

/// How a refusal is handled.
enum Verdict: Hashable {
    /// Refused permanently.
    case final
    /// Retried later.
    case again
    /// Retried later; only this token has had too many, so others need not wait.
    case againByToken
    /// The provider token is too old: retried with a new one.
    case renew
    /// The key or the topic is wrong for all tokens: stops.
    case halt

    /// Based on Apple's "Handling notification responses from APNs" and its advice about what to send again.
    init(reason: RejectionReason, status: Int) {
        switch reason {
        case .expiredProviderToken: self = .renew
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken:
            self = .halt
        case .tooManyRequests: self = .againByToken
        case .tooManyProviderTokenUpdates, .idleTimeout, .internalServerError, .serviceUnavailable,
            .shutdown:
            self = .again
        default:
            self =
                switch status {
                case 403: .halt
                case 429, 500...599: .again
                default: .final
                }
        }
    }
}
