/// Why a rule skipped a notification.
package enum SkipReason: String, Hashable, Sendable, CaseIterable {
    /// The person did not consent to notifications.
    case noConsent = "NoConsent"
    /// It is an ad, and the person did not consent to ads.
    case noAdConsent = "NoAdConsent"
    /// It is an ad, it is night at the phone, and the person did not consent to ads at night.
    case nightAd = "NightAd"
    /// It is an ad, the person did not consent to ads at night, and the phone's time zone is unknown.
    case unknownTimeZone = "UnknownTimeZone"
    /// The Campaign is in local time, which had passed at the Device when it was accepted.
    case localTimePassed = "LocalTimePassed"
    /// The time is in the App's quiet hours at the phone.
    case quietHours = "QuietHours"
    /// The Device, or its User, has reached the App's frequency cap.
    case frequencyCap = "FrequencyCap"
    /// The same message was sent to the same token within the time of the App's duplicate guard.
    case duplicateMessage = "DuplicateMessage"
    /// Since the first attempt the token became invalid or the Device was deleted.
    case noToken = "NoToken"
    /// The Device is in the holdout, which gets nothing.
    case holdout = "Holdout"
    /// The User is in the control group, which gets no Campaigns.
    case controlGroup = "ControlGroup"
    /// It is an ad for a phone whose language is Korean, and the Campaign lacks the labels that Korean law requires.
    case noAdWording = "NoAdWording"
    /// The message names a field that the Device and its User lack, without a default.
    case missingValue = "MissingValue"

    package var reason: FailureReason { FailureReason(rawValue: rawValue) }
}
