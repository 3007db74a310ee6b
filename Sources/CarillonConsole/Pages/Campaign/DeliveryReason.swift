/// What a page tells about the reason of a failed or skipped notification.
///
/// A pure value: the texts of a reason are in the catalogue under ``texts``, and those of the consequence under
/// ``Consequence``. Reasons with the same meaning share their texts. A reason that this version does not know has none,
/// and is shown verbatim.
struct DeliveryReason: Hashable, Sendable {
    /// What Carillon did.
    enum Consequence: String, Hashable, Sendable, CaseIterable {
        /// The token is not used any more.
        case droppedToken
        /// The token waits until its Device registers it again.
        case quarantinedToken
        /// The notification failed and was not tried again.
        case failed
        /// The Campaign was paused.
        case pausedCampaign
        /// It was tried again until it expired.
        case retried
        /// Nothing was sent.
        case skipped
        /// The reason is not known here, so that the status decided.
        case unknown
    }

    /// The word of the push service or of Carillon.
    var word: String
    /// The key of its texts in the catalogue; `nil` for a word that this version does not know.
    var texts: String?
    var consequence: Consequence
    /// Whether the push service answered; otherwise the reason is Carillon's own.
    var isAnswer: Bool

    /// Finds what is known about the reason of a failed notification.
    static func failure(_ word: String) -> DeliveryReason {
        if let own = ownFailures[word] {
            return DeliveryReason(word: word, texts: own.texts, consequence: own.consequence, isAnswer: false)
        }
        guard let known = answers[word] else {
            // An answer without a reason, and what Apple adds later.
            return DeliveryReason(word: word, texts: nil, consequence: .unknown, isAnswer: true)
        }
        return DeliveryReason(word: word, texts: known.texts, consequence: known.consequence, isAnswer: true)
    }

    /// Finds what is known about the reason of a skipped notification.
    static func skip(_ word: String) -> DeliveryReason {
        let isKnown = skips.contains(word)
        return DeliveryReason(
            word: word,
            texts: isKnown ? word : nil,
            consequence: .skipped,
            isAnswer: false
        )
    }

    /// Returns the word that begins an alarm, which texts may follow: `Late: due at …`.
    static func word(ofAlarm alarm: String) -> String {
        String(alarm.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }

    /// All keys of texts.
    static var allTexts: Set<String> {
        Set(answers.values.map(\.texts)).union(ownFailures.values.map(\.texts)).union(skips)
    }

    // MARK: - Private

    private typealias Known = (texts: String, consequence: Consequence)

    /// Apple's words; "Handling notification responses from APNs" documents them.
    private static let answers: [String: Known] = [
        "Unregistered": ("AppRemoved", .droppedToken),
        "ExpiredToken": ("AppRemoved", .droppedToken),
        "BadDeviceToken": ("BadDeviceToken", .quarantinedToken),
        "DeviceTokenNotForTopic": ("OtherTopic", .quarantinedToken),
        "BadTopic": ("WrongTopic", .pausedCampaign),
        "MissingTopic": ("WrongTopic", .pausedCampaign),
        "TopicDisallowed": ("WrongTopic", .pausedCampaign),
        "InvalidProviderToken": ("WrongKey", .pausedCampaign),
        "MissingProviderToken": ("WrongKey", .pausedCampaign),
        "UnrelatedKeyIdInToken": ("WrongKey", .pausedCampaign),
        "Forbidden": ("WrongKey", .pausedCampaign),
        "BadEnvironmentKeyInToken": ("KeyOfOtherEnvironment", .pausedCampaign),
        "BadEnvironmentKeyIdInToken": ("KeyOfOtherEnvironment", .pausedCampaign),
        "BadCertificate": ("BadCertificate", .pausedCampaign),
        "BadCertificateEnvironment": ("BadCertificate", .pausedCampaign),
        "ExpiredProviderToken": ("ClockWrong", .retried),
        "TooManyProviderTokenUpdates": ("KeyShared", .retried),
        "TooManyRequests": ("TooManyRequests", .retried),
        "InternalServerError": ("AppleFault", .retried),
        "ServiceUnavailable": ("AppleFault", .retried),
        "Shutdown": ("AppleFault", .retried),
        "IdleTimeout": ("AppleFault", .retried),
        "BadCollapseId": ("RequestFault", .failed),
        "BadExpirationDate": ("RequestFault", .failed),
        "BadMessageId": ("RequestFault", .failed),
        "BadPriority": ("RequestFault", .failed),
        "DuplicateHeaders": ("RequestFault", .failed),
        "InvalidPushType": ("RequestFault", .failed),
        "MissingDeviceToken": ("RequestFault", .failed),
        "PayloadEmpty": ("RequestFault", .failed),
        "BadPath": ("RequestFault", .failed),
        "MethodNotAllowed": ("RequestFault", .failed),
    ]

    /// Carillon's own words.
    ///
    /// It renders a payload before it sends it, so that one that is too large is its own refusal.
    private static let ownFailures: [String: Known] = [
        "NotSent": ("NotSent", .retried),
        "NoAnswer": ("NoAnswer", .retried),
        "Expired": ("Expired", .failed),
        "Cancelled": ("Cancelled", .failed),
        "PayloadTooLarge": ("PayloadTooLarge", .failed),
        "NoPushKey": ("NoPushKey", .pausedCampaign),
        "BadPushKey": ("WrongKey", .pausedCampaign),
        "NoSimulator": ("NoPushKey", .pausedCampaign),
        "Other": ("Other", .failed),
        "WorkFailed": ("WorkFailed", .pausedCampaign),
        "Late": ("Late", .pausedCampaign),
        "Restored": ("Restored", .pausedCampaign),
    ]

    private static let skips: Set<String> = [
        "NoConsent", "NoAdConsent", "NightAd", "UnknownTimeZone", "LocalTimePassed", "QuietHours", "FrequencyCap",
        "DuplicateMessage", "NoToken", "Holdout", "ControlGroup", "NoAdWording", "MissingValue",
    ]
}
