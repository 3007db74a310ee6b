public import CarillonModel
import Foundation

/// What a Device reports about itself.
///
/// Nothing in it identifies the person or the hardware.
public struct DeviceFacts: Hashable, Sendable {
    /// Apple's environment that the app's device tokens belong to.
    public var pushType: PushType
    /// BCP 47 tag of the language that the person prefers.
    public var language: String?
    /// ISO 3166 code of the region that the phone is set to.
    public var country: String?
    /// IANA time zone.
    public var timeZone: String?
    /// The app's version.
    public var appVersion: String?
    /// The system's name and version, as `iOS 17.4`.
    public var osVersion: String?
    /// The hardware model, as `iPhone15,3`.
    public var model: String?

    /// Makes facts of the environment alone.
    ///
    /// - Parameter pushType: Apple's environment that the app's device tokens belong to.
    public init(pushType: PushType = .apns) { self.pushType = pushType }

    /// The system's values now.
    ///
    /// - Parameter pushType: The environment; `nil`: that of the provisioning profile.
    /// - Returns: The facts.
    public static func current(pushType: PushType? = nil) -> DeviceFacts {
        var facts = DeviceFacts(pushType: pushType ?? ProvisioningProfile.pushType)
        facts.language = Locale.preferredLanguages.first
        facts.country = region
        facts.timeZone = TimeZone.current.identifier
        facts.appVersion = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
        facts.osVersion = system
        facts.model = HardwareModel.name
        return facts
    }

    /// Writes the facts into a registration; those that the server would refuse are left out.
    func write(to registration: inout Registration) {
        registration.pushType = pushType
        registration.language = language
        registration.country = country
        registration.timeZone = timeZone
        registration.appVersion = appVersion
        registration.osVersion = osVersion
        registration.model = model
        registration.sdkVersion = CarillonVersion.current
        for field in DeviceField.facts where registration[keyPath: field.registration].map(field.accepts) == false {
            registration[keyPath: field.registration] = nil
        }
    }

    private static var region: String? {
        #if os(iOS)
        if #available(iOS 16, *) { return Locale.current.region?.identifier }
        return Locale.current.regionCode
        #else
        return Locale.current.region?.identifier  // not iOS
        #endif
    }

    private static var system: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        #if os(iOS)
        let name = "iOS"
        #elseif os(macOS)
        let name = "macOS"
        #else
        let name = "Linux"
        #endif
        return "\(name) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
}
