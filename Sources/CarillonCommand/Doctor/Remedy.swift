import ApplePush

/// The meaning of a refusal of APNs for the person who configures key, topic and token, with advice.
struct Remedy: Hashable, Sendable {
    /// What the refusal concerns.
    enum Fault: Hashable {
        /// The key, its ids, the clock or the certificate.
        case credentials
        /// The topic, for this key.
        case permission
        /// The device token, for this environment and topic; the key is valid then.
        case deviceToken
        /// APNs itself: try again later.
        case serviceUnavailable
        /// The request; then either the server or this program has an error.
        case request
    }

    var fault: Fault
    var text: String
    var advice: String

    private init(_ fault: Fault, _ text: String, _ advice: String) {
        self.fault = fault
        self.text = text
        self.advice = advice
    }

    /// Maps a refusal of a background notification.
    ///
    /// Source: "Handling notification responses from APNs".
    init(_ rejection: Rejection) {
        self =
            Self.credentials[rejection.reason] ?? Self.addressee[rejection.reason] ?? Self.serviceUnavailable[
                rejection.reason
            ]
            ?? Self.unexpected(rejection)
    }

    // MARK: - Private

    private static let notAPNs =
        "The request is one that APNs takes from everybody: ask whether \"--server\" names APNs, or report this as a fault."

    private static let credentials: [RejectionReason: Remedy] = [
        .invalidProviderToken: Remedy(
            .credentials,
            "APNs does not know this key under these ids, or cannot verify what it signed",
            "Compare --key-id with the key's page in Apple's developer account and with the file's name, and "
                + "--team-id with the membership page; see that the two are not swapped, that the key was not "
                + "revoked, that APNs is enabled for it, and that this computer's clock is right. A new key may take "
                + "hours to be known everywhere."
        ),
        .expiredProviderToken: Remedy(
            .credentials,
            "APNs considers a new provider token expired",
            "This computer's clock is more than an hour behind: set it, best by NTP."
        ),
        .missingProviderToken: Remedy(
            .credentials,
            "APNs saw no provider token",
            "Something between here and APNs removes the authorization header: look for a proxy."
        ),
        .badEnvironmentKeyInToken: Remedy(
            .credentials,
            "the key is for the other environment",
            "Keys made since 2025 are for sandbox or for production: use the one for this environment, or ask with "
                + "the other --environment."
        ),
        .unrelatedKeyIDInToken: Remedy(
            .credentials,
            "the key is not related to the one that the connection began with",
            "A connection belongs to one key or to keys of one team: something between here and APNs shares "
                + "connections."
        ),
        .forbidden: Remedy(
            .credentials,
            "APNs forbids the request",
            "Look at the key's page in Apple's developer account; see that it is enabled for APNs and that the "
                + "membership is valid."
        ),
        .badCertificate: Remedy(
            .credentials,
            "APNs refuses the client certificate",
            "Make a new one in Apple's developer account; it may have expired or been revoked."
        ),
        .badCertificateEnvironment: Remedy(
            .credentials,
            "the client certificate is for the other environment",
            "Use the one for this environment, or check the other --environment."
        ),
    ]

    private static let addressee: [RejectionReason: Remedy] = [
        .topicDisallowed: Remedy(
            .permission,
            "the key may not push to this topic",
            "See that the bundle id belongs to the key's team, has the push capability, and stands in the key's list "
                + "where the key is for certain topics only."
        ),
        .badTopic: Remedy(
            .permission,
            "APNs does not know the topic",
            "--topic is the app's bundle id, letter for letter, without a suffix such as .voip."
        ),
        .missingTopic: Remedy(
            .permission,
            "APNs saw no topic",
            "Something between here and APNs removes the apns-topic header: look for a proxy."
        ),
        .badDeviceToken: Remedy(
            .deviceToken,
            "the device token is malformed or belongs to the other environment",
            "Apps that Xcode installs get tokens of the sandbox, those from TestFlight and the App Store of "
                + "production: ask with the other --environment. Take the bytes as the app got them, in hexadecimal."
        ),
        .deviceTokenNotForTopic: Remedy(
            .deviceToken,
            "the device token belongs to another app, or to another kind of registration",
            "Use the token that UIApplication's registration gave to the app with this bundle id: tokens of PushKit, "
                + "Live Activities, widgets and location have topics of their own."
        ),
        .unregistered: Remedy(
            .deviceToken,
            "the device token is no longer active: the app was deleted, or its notifications turned off",
            "Delete this token; the app sends a new one when it registers again."
        ),
        .expiredToken: Remedy(
            .deviceToken,
            "the device token has expired",
            "Delete this token; the app sends a new one when it registers again."
        ),
        .missingDeviceToken: Remedy(.request, "APNs saw no device token", notAPNs),
    ]

    private static let serviceUnavailable: [RejectionReason: Remedy] = [
        .tooManyProviderTokenUpdates: Remedy(
            .serviceUnavailable,
            "APNs has seen too many different provider tokens of this key",
            "Wait for 20 minutes. If this comes again, programs with this key make a token each instead of sharing "
                + "one, or make one for each notification."
        ),
        .tooManyRequests: Remedy(
            .serviceUnavailable,
            "too many notifications in a row for this device token",
            "Wait for some minutes, and send less to this device."
        ),
        .idleTimeout: Remedy(.serviceUnavailable, "the connection was idle for too long", "Try again."),
        .internalServerError: Remedy(
            .serviceUnavailable,
            "APNs has a fault",
            "Try again in 15 minutes; Apple's system status page may show an outage."
        ),
        .serviceUnavailable: Remedy(
            .serviceUnavailable,
            "APNs is overloaded",
            "Try again in 15 minutes; Apple's system status page may show an outage."
        ),
        .shutdown: Remedy(.serviceUnavailable, "this server of Apple's is going away", "Try again."),
    ]

    /// Reasons that our request cannot cause, and undocumented ones.
    private static func unexpected(_ rejection: Rejection) -> Remedy {
        let text = "the server answers \(rejection.status) \(Self.word(rejection.reason))"
        switch rejection.reason {
        case .badPath:
            return Remedy(.request, text + ": it accepts no notifications for devices", notAPNs)
        case .methodNotAllowed, .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders,
            .invalidPushType, .payloadEmpty, .payloadTooLarge:
            return Remedy(.request, text, notAPNs)
        default:
            switch rejection.status {
            case 403:
                return Remedy(.credentials, text, "Look at the key's page in Apple's developer account.")
            case 410: return Remedy(.deviceToken, text, "Delete this device token.")
            case 429, 500...599: return Remedy(.serviceUnavailable, text, "Try again later.")
            default: return Remedy(.request, text, notAPNs)
            }
        }
    }

    /// A reason, without characters that a terminal would interpret.
    private static func word(_ reason: RejectionReason) -> String {
        let word = reason.rawValue.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return word.isEmpty ? "without a reason" : word
    }
}
