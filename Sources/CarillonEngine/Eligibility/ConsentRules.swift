import CarillonModel
import CarillonOperatorModel

/// Who may get a notification, by what the person at the phone agreed to.
package enum ConsentRules {
    /// Whether a Device gets it.
    ///
    /// - Parameters:
    ///   - consent: What the person agreed to.
    ///   - isAd: Whether it is advertising to this Device: the App's rules for ads cover it.
    ///   - night: Whether it is night at the phone; `nil` when its time zone is not known. Asked for ads only.
    /// - Returns: Why not; `nil` when it does.
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
