/// Why APNs refused a notification.
///
/// An open set: an unknown reason keeps its text.
/// Source: "Handling notification responses from APNs" and "Handling error responses from APNs".
public struct RejectionReason: RawRepresentable, Hashable, Sendable {
    /// Apple's text, at most 64 bytes; empty when the answer has none.
    public let rawValue: String

    /// Makes a reason of Apple's text.
    ///
    /// Both spellings of ``badEnvironmentKeyInToken`` become one, and both of ``serviceUnavailable``.
    ///
    /// - Parameter rawValue: The text.
    public init(rawValue: String) {
        switch rawValue {
        // Apple documents this spelling and sends the other.
        case "BadEnvironmentKeyIdInToken": self.rawValue = "BadEnvironmentKeyInToken"
        // So it is printed in "Handling error responses from APNs".
        case "Service Unavailable": self.rawValue = "ServiceUnavailable"
        default: self.rawValue = rawValue
        }
    }

    private init(_ known: StaticString) {
        rawValue = "\(known)"
    }

    /// The answer has no reason, or none that can be read.
    public static let unstated = RejectionReason("")

    // MARK: The request

    /// 400: the collapse id has more than 64 bytes.
    public static let badCollapseID = RejectionReason("BadCollapseId")
    /// 400: the expiration is not a whole number of seconds.
    public static let badExpirationDate = RejectionReason("BadExpirationDate")
    /// 400: `apns-id` is not a UUID.
    public static let badMessageID = RejectionReason("BadMessageId")
    /// 400: the priority is none of 10, 5 and 1.
    public static let badPriority = RejectionReason("BadPriority")
    /// 400: a header came twice.
    public static let duplicateHeaders = RejectionReason("DuplicateHeaders")
    /// 400: the push type is unknown or does not fit.
    public static let invalidPushType = RejectionReason("InvalidPushType")
    /// 400: the path ends before the device token.
    public static let missingDeviceToken = RejectionReason("MissingDeviceToken")
    /// 400: there was no payload.
    public static let payloadEmpty = RejectionReason("PayloadEmpty")
    /// 404: the path is none that APNs knows.
    public static let badPath = RejectionReason("BadPath")
    /// 405: the method was not POST.
    public static let methodNotAllowed = RejectionReason("MethodNotAllowed")
    /// 413: the payload is over its limit.
    public static let payloadTooLarge = RejectionReason("PayloadTooLarge")

    // MARK: The device token

    /// 400: malformed, or of the other environment.
    public static let badDeviceToken = RejectionReason("BadDeviceToken")
    /// 400: the token belongs to another topic.
    public static let deviceTokenNotForTopic = RejectionReason("DeviceTokenNotForTopic")
    /// 410: the token has expired.
    public static let expiredToken = RejectionReason("ExpiredToken")
    /// 410: the token is no longer active for the topic.
    public static let unregistered = RejectionReason("Unregistered")

    // MARK: Topic and credentials

    /// 400: the topic is malformed or not in the certificate.
    public static let badTopic = RejectionReason("BadTopic")
    /// 400: the topic is missing.
    public static let missingTopic = RejectionReason("MissingTopic")
    /// 400: the credentials may not push to this topic.
    public static let topicDisallowed = RejectionReason("TopicDisallowed")
    /// 403: the client certificate is bad.
    public static let badCertificate = RejectionReason("BadCertificate")
    /// 403: the client certificate is for the other environment.
    public static let badCertificateEnvironment = RejectionReason("BadCertificateEnvironment")
    /// 403: the provider token is over an hour old.
    public static let expiredProviderToken = RejectionReason("ExpiredProviderToken")
    /// 403: the action is not allowed.
    public static let forbidden = RejectionReason("Forbidden")
    /// 403: the provider token is broken, or signed with an unknown key, or names another team.
    public static let invalidProviderToken = RejectionReason("InvalidProviderToken")
    /// 403: neither a certificate nor a usable provider token.
    public static let missingProviderToken = RejectionReason("MissingProviderToken")
    /// 403: the key is not related to the one this connection began with.
    public static let unrelatedKeyIDInToken = RejectionReason("UnrelatedKeyIdInToken")
    /// 403: the key is for the other environment.
    public static let badEnvironmentKeyInToken = RejectionReason("BadEnvironmentKeyInToken")

    // MARK: Broadcasts and channels

    /// 400: the app has no broadcast capability.
    public static let featureNotEnabled = RejectionReason("FeatureNotEnabled")
    /// 400: the request names no channel.
    public static let missingChannelID = RejectionReason("MissingChannelId")
    /// 400: the channel id is not Base64, or of a wrong length.
    public static let badChannelID = RejectionReason("BadChannelId")
    /// 400: there is no such channel, or it belongs to another app.
    public static let channelNotRegistered = RejectionReason("ChannelNotRegistered")
    /// 400: a parameter of the request is wrong.
    public static let badRequestParameters = RejectionReason("BadRequestParams")
    /// 400: the request's body is wrong.
    public static let badRequestPayload = RejectionReason("BadRequestPayload")
    /// 400: the push type is missing.
    public static let missingPushType = RejectionReason("MissingPushType")
    /// 400: the channel cannot be created, as when the app has 10,000 of them.
    public static let cannotCreateChannelConfiguration = RejectionReason("CannotCreateChannelConfig")
    /// 400: the message storage policy is missing or unknown.
    ///
    /// Seen, not documented.
    public static let missingChannelQueueSize = RejectionReason("MissingChannelQueueSize")
    /// 403: the topic does not match the client certificate.
    public static let topicMismatch = RejectionReason("TopicMismatch")

    // MARK: Load and service

    /// 400: the connection was idle too long.
    public static let idleTimeout = RejectionReason("IdleTimeout")
    /// 429: the provider token changed more than once in 20 minutes.
    public static let tooManyProviderTokenUpdates = RejectionReason("TooManyProviderTokenUpdates")
    /// 429: too many notifications in a row for one device token.
    public static let tooManyRequests = RejectionReason("TooManyRequests")
    /// 500: an internal error at Apple.
    public static let internalServerError = RejectionReason("InternalServerError")
    /// 503: Apple is overloaded.
    public static let serviceUnavailable = RejectionReason("ServiceUnavailable")
    /// 503: this server of Apple's is shutting down.
    public static let shutdown = RejectionReason("Shutdown")
}

extension RejectionReason {
    /// Every reason with which APNs refuses a notification for a device, for tables and tests.
    public static let documented: [RejectionReason] = [
        .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
        .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge, .badDeviceToken,
        .deviceTokenNotForTopic, .expiredToken, .unregistered, .badTopic, .missingTopic, .topicDisallowed,
        .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
        .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken, .idleTimeout,
        .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown,
    ]

    /// The reasons that only broadcasts and the management of channels know.
    public static let documentedForBroadcasts: [RejectionReason] = [
        .featureNotEnabled, .missingChannelID, .badChannelID, .channelNotRegistered, .badRequestParameters,
        .badRequestPayload, .missingPushType, .cannotCreateChannelConfiguration, .missingChannelQueueSize,
        .topicMismatch,
    ]
}
