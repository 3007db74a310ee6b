import ApplePush

/// What the tool does about a refusal.
enum Verdict: Hashable {
    /// It stays refused.
    case final
    /// Later it may be taken.
    case again
    /// Later it may be taken; this token alone has had too many, so nothing else need wait for it.
    case againByToken
    /// The provider token is too old: a new one, and once more.
    case renew
    /// The key or the topic is wrong, for every token: stop.
    case halt

    /// Apple's "Handling notification responses from APNs" and its advice what not to send again.
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
