import ApplePush
import ApplePushConnection
import CarillonEngine
import CarillonModel

extension Consequence {
    /// Maps the outcome of a notification at APNs to its consequence.
    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .rejected(let rejection): self = Self(rejection)
        case .notSent: self = .retryLater(.notSent, after: nil)
        case .unknown: self = .retryLater(.noAnswer, after: nil)
        }
    }

    /// Maps a refusal to its consequence: the only place that maps APNs' reasons.
    ///
    /// Apple's page "Handling notification responses from APNs" documents each reason.
    init(_ rejection: Rejection) {
        let reason = FailureReason(rejection)
        switch rejection.reason {
        case .unregistered, .expiredToken:
            self = .dropDeviceToken(reason, since: rejection.tokenInvalidSince.map { Timestamp($0) })
        case .badDeviceToken, .deviceTokenNotForTopic:
            self = .quarantineDeviceToken(reason)
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
            self = .dropMessage(reason)
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken:
            self = .halt(reason)
        case .expiredProviderToken, .idleTimeout, .shutdown, .internalServerError, .serviceUnavailable,
            .tooManyRequests:
            self = .retryLater(reason, after: nil)
        case .tooManyProviderTokenUpdates:
            // Apple asks for at least 20 minutes between provider tokens; the token stays, and a delay helps.
            self = .retryLater(reason, after: .seconds(60))
        default:
            self = Self(status: rejection, reason)
        }
    }

    /// Maps an undocumented reason by its status.
    private init(status rejection: Rejection, _ reason: FailureReason) {
        switch rejection.status {
        case 403: self = .halt(reason)
        case 410: self = .dropDeviceToken(reason, since: rejection.tokenInvalidSince.map { Timestamp($0) })
        case 429, 500...: self = .retryLater(reason, after: nil)
        default: self = .dropMessage(reason)
        }
    }
}

extension RejectionReason {
    /// Whether the device token is the cause: it is invalid, malformed or another app's.
    ///
    /// The same reasons for which ``Consequence/init(_:)`` drops or quarantines a token.
    var blamesToken: Bool {
        switch self {
        case .unregistered, .expiredToken, .badDeviceToken, .deviceTokenNotForTopic: true
        default: false
        }
    }
}

extension FailureReason {
    /// Apple's reason, or the status when there is none.
    init(_ rejection: Rejection) {
        self.init(
            rawValue: rejection.reason == .unstated ? "Status\(rejection.status)" : rejection.reason.rawValue
        )
    }
}
