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
///
/// Unchecked: `lock` protects `sandboxed`; the rest never changes.
#if canImport(ObjectiveC)
@objc(ToastPushTokenInfo) @objcMembers
#endif
public final class ToastPushTokenInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
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

    private let constant: Fields
    private let lock = NSLock()
    private var sandboxed: Bool

    init(_ fields: Fields) {
        constant = fields
        sandboxed = fields.sandbox
    }

    var fields: Fields {
        var fields = constant
        fields.sandbox = sandbox
        return fields
    }

    /// The user id, or the device's where none was set.
    public var userID: String { constant.userID }
    /// The device token, as lower-case hexadecimal digits.
    public var deviceToken: String { constant.deviceToken }
    /// ISO 3166 code.
    public var countryCode: String { constant.countryCode }
    /// BCP 47 tag.
    public var languageCode: String { constant.languageCode }
    /// The kind of token.
    @nonobjc public var pushType: ToastPushType { constant.pushType }

    #if canImport(ObjectiveC)
    /// The kind of the token, `APNS` or `VoIP`; for Objective-C, where the vendor's type is a string.
    @objc(pushType) public var pushTypeName: String { constant.pushType.rawValue }
    #endif
    /// Whether the person consents to notifications.
    public var allowNotifications: Bool { constant.consent.notifications }
    /// Whether the person consents to ads.
    public var allowAdvertisements: Bool { constant.consent.ads }
    /// Whether the person consents to ads at night.
    public var allowNightAdvertisements: Bool { constant.consent.nightAds }
    /// The three flags together, as in later versions of the vendor's SDK.
    public var agreement: ToastPushAgreement { ToastPushAgreement(constant.consent) }
    /// IANA time zone.
    public var timezone: String { constant.timezone }
    /// When it was registered: ISO 8601 with the offset of the phone's time zone.
    public var updateDateTime: String { constant.updateDateTime }
    /// Whether the token belongs to Apple's sandbox.
    public var isSandbox: Bool {
        get { sandbox }
        set { sandbox = newValue }
    }
    /// Whether the token belongs to Apple's sandbox; settable as with the vendor, without an effect on the registration.
    public var sandbox: Bool {
        get {
            lock.lock()
            defer { lock.unlock() }
            return sandboxed
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            sandboxed = newValue
        }
    }

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
        constant = fields
        sandboxed = fields.sandbox
    }

    /// Writes an archive.
    public func encode(with coder: NSCoder) { Archive.encode(fields, in: coder) }

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { ToastPushTokenInfo(fields) }
}
#endif
