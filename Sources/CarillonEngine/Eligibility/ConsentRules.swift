import CarillonModel
import CarillonOperatorModel

/// Decides by a person's consents whether a Device may get a notification.
package enum ConsentRules {
    /// Checks the consents of a Device.
    ///
    /// - Parameters:
    ///   - consent: The person's consents.
    ///   - isAd: Whether it is an ad for this Device: the App's rules for ads cover the Device.
    ///   - night: Whether it is night at the phone; `nil` when its time zone is unknown. Used for ads only.
    /// - Returns: The skip reason; `nil` when it may.
    package static func skip(
        _ consent: ConsentBits,
        isAd: Bool,
        night: @autoclosure () -> Night?
    ) -> SkipReason? {
        guard consent.contains(.notifications) else { return .noConsent }
        guard isAd else { return nil }
        guard consent.contains(.ads) else { return .noAdConsent }
        guard !consent.contains(.nightAds) else { return nil }
        guard let night = night() else { return .unknownTimeZone }
        return night.isNow ? .nightAd : nil
    }
}
