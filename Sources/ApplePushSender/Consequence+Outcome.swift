import ApplePush
import ApplePushConnection
import CarillonEngine
import CarillonModel

extension Consequence {
    /// What follows from what became of a notification at APNs.
    init(_ outcome: Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .rejected(let rejection): self = Self(rejection)
        case .notSent: self = .retryLater(.notSent, after: nil)
        case .unknown: self = .retryLater(.noAnswer, after: nil)
        }
    }

    /// What follows from a refusal: the one place where APNs' words meet ours.
    ///
    /// Apple's page "Handling notification responses from APNs" says what each reason means.
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
            // Apple asks for at least 20 minutes between provider tokens; the token stays, the waiting helps.
            self = .retryLater(reason, after: .seconds(60))
        default:
            self = Self(status: rejection, reason)
        }
    }

    /// A reason that Apple has not documented: its status says what kind it is.
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
    /// Whether the device token is to blame: it is dead, malformed or another app's.
    ///
    /// What ``Consequence/init(_:)`` drops or puts in quarantine for.
    var blamesToken: Bool {
        switch self {
        case .unregistered, .expiredToken, .badDeviceToken, .deviceTokenNotForTopic: true
        default: false
        }
    }
}

extension FailureReason {
    /// Apple's word, or the status when it said nothing.
    init(_ rejection: Rejection) {
        self.init(
            rawValue: rejection.reason == .unstated ? "Status\(rejection.status)" : rejection.reason.rawValue
        )
    }
}
