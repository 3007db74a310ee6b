/// Apple's reasons for refusing a request.
package enum RejectionReason: String, CaseIterable, Codable, Sendable {
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badChannelID = "BadChannelId"
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    /// The documented spelling of ``badEnvironmentKeyInToken``.
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    /// The documentation says `BadEnvironmentKeyIdInToken`; this is the observed spelling.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPath = "BadPath"
    case badPriority = "BadPriority"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    case badTopic = "BadTopic"
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    case channelNotRegistered = "ChannelNotRegistered"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case expiredProviderToken = "ExpiredProviderToken"
    case expiredToken = "ExpiredToken"
    case featureNotEnabled = "FeatureNotEnabled"
    case forbidden = "Forbidden"
    case idleTimeout = "IdleTimeout"
    case internalServerError = "InternalServerError"
    case invalidProviderToken = "InvalidProviderToken"
    case invalidPushType = "InvalidPushType"
    case methodNotAllowed = "MethodNotAllowed"
    case missingChannelID = "MissingChannelId"
    /// Not documented; observed when the storage policy of a channel is missing or unknown.
    case missingChannelQueueSize = "MissingChannelQueueSize"
    case missingDeviceToken = "MissingDeviceToken"
    case missingProviderToken = "MissingProviderToken"
    case missingPushType = "MissingPushType"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case payloadTooLarge = "PayloadTooLarge"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case topicDisallowed = "TopicDisallowed"
    case topicMismatch = "TopicMismatch"
    case unregistered = "Unregistered"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"

    /// The status of the reason.
    package var status: Int {
        switch self {
        case .badChannelID, .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
            .badRequestParams, .badRequestPayload, .badTopic, .cannotCreateChannelConfig, .channelNotRegistered,
            .deviceTokenNotForTopic, .duplicateHeaders, .featureNotEnabled, .idleTimeout, .invalidPushType,
            .missingChannelID, .missingChannelQueueSize, .missingDeviceToken, .missingPushType, .missingTopic,
            .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
            .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .topicMismatch,
            .unrelatedKeyIDInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}

/// A refusal of one request.
struct Rejection: Error, Hashable, Sendable {
    var reason: RejectionReason
    /// With a 410: since when the device token has been invalid.
    var timestamp: SimulatedTime?

    init(_ reason: RejectionReason, timestamp: SimulatedTime? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
