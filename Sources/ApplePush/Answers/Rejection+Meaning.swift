#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Rejection {
    /// What a rejection means for the sender.
    public enum Meaning: Hashable, Sendable {
        /// The device token is invalid since an instant of Apple's clock, if the answer has it.
        ///
        /// Drop the token unless it was registered later.
        case invalidToken(since: Date?)
        /// The device token is malformed, or belongs to another topic or environment.
        case misdirectedToken
        /// APNs never accepts this notification.
        case badNotification
        /// APNs accepts no notification with these credentials or this topic.
        case badCredentials
        /// APNs may accept the notification later, but not before a delay, if there is one.
        case temporary(after: Duration?)

        /// Whether the device token is the cause.
        public var concernsToken: Bool {
            switch self {
            case .invalidToken, .misdirectedToken: true
            case .badNotification, .badCredentials, .temporary: false
            }
        }
    }

    /// What the rejection means: the only place that tells APNs' reasons apart.
    ///
    /// Apple's page "Handling notification responses from APNs" documents each reason. The status decides about an
    /// undocumented one.
    public var meaning: Meaning {
        switch reason {
        case .unregistered, .expiredToken: .invalidToken(since: tokenInvalidSince)
        case .badDeviceToken, .deviceTokenNotForTopic: .misdirectedToken
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
            .badNotification
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken:
            .badCredentials
        case .expiredProviderToken, .idleTimeout, .shutdown, .internalServerError, .serviceUnavailable,
            .tooManyRequests:
            .temporary(after: nil)
        // Apple asks for at least 20 minutes between provider tokens; the token stays, and a delay helps.
        case .tooManyProviderTokenUpdates: .temporary(after: .seconds(60))
        default: meaningOfStatus
        }
    }

    private var meaningOfStatus: Meaning {
        switch status {
        case 403: .badCredentials
        case 410: .invalidToken(since: tokenInvalidSince)
        case 429, 500...: .temporary(after: nil)
        default: .badNotification
        }
    }
}
