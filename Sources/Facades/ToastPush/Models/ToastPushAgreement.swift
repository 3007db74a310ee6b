#if canImport(UIKit)
import Carillon
public import Foundation

/// The person's consent.
#if canImport(ObjectiveC)
@objc(ToastPushAgreement) @objcMembers
#endif
public final class ToastPushAgreement: NSObject, NSSecureCoding, NSCopying {
    var consent: Consent

    /// Creates an agreement without ads.
    ///
    /// - Parameter allowNotifications: Whether the person consents to notifications.
    public init(allowNotifications: Bool) { consent = Consent(notifications: allowNotifications) }

    init(_ consent: Consent) { self.consent = consent }

    /// Creates an agreement without ads.
    ///
    /// - Parameter allowNotifications: Whether the person consents to notifications.
    /// - Returns: The agreement.
    #if canImport(ObjectiveC)
    @objc(agreementWithAllowNotifications:)
    #endif
    public static func agreement(allowNotifications: Bool) -> ToastPushAgreement {
        ToastPushAgreement(allowNotifications: allowNotifications)
    }

    /// Notifications.
    public var allowNotifications: Bool {
        get { consent.notifications }
        set { consent.notifications = newValue }
    }

    /// Advertisements.
    public var allowAdvertisements: Bool {
        get { consent.ads }
        set { consent.ads = newValue }
    }

    /// Advertisements between 21:00 and 08:00.
    public var allowNightAdvertisements: Bool {
        get { consent.nightAds }
        set { consent.nightAds = newValue }
    }

    // MARK: - Archives and copies

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive.
    public init?(coder: NSCoder) {
        guard let consent: Consent = Archive.decode(coder) else { return nil }
        self.consent = consent
    }

    /// Writes an archive.
    public func encode(with coder: NSCoder) { Archive.encode(consent, in: coder) }

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { ToastPushAgreement(consent) }
}
#endif
