/// Why a rule kept a notification back.
package enum SkipReason: String, Hashable, Sendable, CaseIterable {
    /// The person did not agree to notifications.
    case noConsent = "NoConsent"
    /// It is an ad, and the person did not agree to ads.
    case noAdConsent = "NoAdConsent"
    /// It is an ad, it is night at the phone, and the person did not agree to ads at night.
    case nightAd = "NightAd"
    /// It is an ad, the person did not agree to ads at night, and nobody knows whether it is night at the phone.
    case unknownTimeZone = "UnknownTimeZone"
    /// The Campaign goes out in each Device's own time, which was over there when it was accepted.
    case localTimePassed = "LocalTimePassed"
    /// It is in the App's quiet hours at the phone.
    case quietHours = "QuietHours"
    /// The phone, or its User, has had as many as the App's cap allows.
    case frequencyCap = "FrequencyCap"
    /// The same was sent to the same token within the time of the App's duplicate guard.
    case duplicateMessage = "DuplicateMessage"
    /// Since the first attempt the token was given up or the Device deleted.
    case noToken = "NoToken"
    /// It is one of the Devices that get nothing, to compare with.
    case holdout = "Holdout"
    /// Its User is one of those that get no Campaigns, to compare with.
    case controlGroup = "ControlGroup"
    /// It is an ad to a phone whose language is Korean, and the Campaign has not the words that Korean law wants.
    case noAdWording = "NoAdWording"
    /// The message names something that the Device or its User does not have, and no default for it.
    case missingValue = "MissingValue"

    package var reason: FailureReason { FailureReason(rawValue: rawValue) }
}
