#if canImport(UIKit)
import Carillon
public import Foundation

/// A kind of token.
public struct ToastPushType: RawRepresentable, Hashable, Sendable, Codable {
    /// The vendor's name.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A device token.
    public static let APNS = ToastPushType(rawValue: "APNS")
    /// A VoIP token.
    public static let voIP = ToastPushType(rawValue: "VoIP")
    /// A device token, by the name that Swift gives the vendor's constant.
    public static var apns: ToastPushType { APNS }
    /// A VoIP token, by the name that Swift gives the vendor's constant.
    public static var voip: ToastPushType { voIP }
}

/// A registration.
#if canImport(ObjectiveC)
@objc(ToastPushTokenInfo) @objcMembers
#endif
public final class ToastPushTokenInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
    struct Fields: Codable, Hashable, Sendable {
        var userID: String
        var deviceToken: String
        var countryCode: String
        var languageCode: String
        var pushType: ToastPushType
        var consent: Consent
        var timezone: String
        var updateDateTime: String
        var sandbox: Bool
    }

    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }

    /// The user id, or the device's where none was set.
    public var userID: String { fields.userID }
    /// The device token, as lower-case hexadecimal digits.
    public var deviceToken: String { fields.deviceToken }
    /// ISO 3166 code.
    public var countryCode: String { fields.countryCode }
    /// BCP 47 tag.
    public var languageCode: String { fields.languageCode }
    /// The kind of token.
    @nonobjc public var pushType: ToastPushType { fields.pushType }

    #if canImport(ObjectiveC)
    /// The kind of the token, `APNS` or `VoIP`; for Objective-C, where the vendor's type is a string.
    @objc(pushType) public var pushTypeName: String { fields.pushType.rawValue }
    #endif
    /// Whether the person consents to notifications.
    public var allowNotifications: Bool { fields.consent.notifications }
    /// Whether the person consents to ads.
    public var allowAdvertisements: Bool { fields.consent.ads }
    /// Whether the person consents to ads at night.
    public var allowNightAdvertisements: Bool { fields.consent.nightAds }
    /// The three flags together, as in later versions of the vendor's SDK.
    public var agreement: ToastPushAgreement { ToastPushAgreement(fields.consent) }
    /// IANA time zone.
    public var timezone: String { fields.timezone }
    /// When it was registered: ISO 8601 with the offset of the phone's time zone.
    public var updateDateTime: String { fields.updateDateTime }
    /// Whether the token belongs to Apple's sandbox.
    public var isSandbox: Bool { fields.sandbox }
    /// Whether the token belongs to Apple's sandbox.
    public var sandbox: Bool { fields.sandbox }

    /// The values, for a log; the token is shortened.
    public override var description: String {
        let flags = "\(allowNotifications), \(allowAdvertisements), \(allowNightAdvertisements)"
        return
            "ToastPushTokenInfo(userID: \(userID), deviceToken: \(deviceToken.prefix(8))…, pushType: \(pushType.rawValue), "
            + "agreement: \(flags), country: \(countryCode), language: \(languageCode), timezone: \(timezone), "
            + "updated: \(updateDateTime), sandbox: \(sandbox))"
    }

    // MARK: - Archives and copies

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive.
    public init?(coder: NSCoder) {
        guard let fields: Fields = Archive.decode(coder) else { return nil }
        self.fields = fields
    }

    /// Writes an archive.
    public func encode(with coder: NSCoder) { Archive.encode(fields, in: coder) }

    /// Itself: it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
