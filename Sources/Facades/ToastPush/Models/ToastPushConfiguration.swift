#if canImport(UIKit)
public import Foundation

/// The vendor's environment of an app; stored without effect.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastServiceZone: Int, Codable, Sendable {
    /// Production.
    case real = 0
    /// The vendor's alpha environment.
    case alpha = 1
    /// The vendor's beta environment.
    case beta = 2
}

/// The configuration of TOAST Push.
///
/// Carillon adds ``serverURL``: the vendor's SDK knows only its maker's server.
#if canImport(ObjectiveC)
@objc(ToastPushConfiguration) @objcMembers
#endif
public final class ToastPushConfiguration: NSObject, NSSecureCoding, NSCopying {
    struct Fields: Codable, Hashable, Sendable {
        var appKey: String
        var serverURL: URL?
        var serviceZone = ToastServiceZone.real
        var countryCode: String?
        var languageCode: String?
        var timezone: String?
        var sandbox: Bool?
        var alwaysAllowTokenRegistration = false
    }

    var fields: Fields

    /// Creates a configuration.
    ///
    /// - Parameter appKey: The App key of Carillon's server.
    public init(appKey: String) { fields = Fields(appKey: appKey) }

    init(_ fields: Fields) { self.fields = fields }

    /// Creates a configuration.
    ///
    /// - Parameter appKey: The App key of Carillon's server.
    /// - Returns: The configuration.
    #if canImport(ObjectiveC)
    @objc(configurationWithAppKey:)
    #endif
    public static func configuration(appKey: String) -> ToastPushConfiguration {
        ToastPushConfiguration(appKey: appKey)
    }

    /// The App key.
    public var appKey: String { fields.appKey }

    /// The URL of Carillon's server; `CarillonServerURL` of the Info.plist when missing.
    public var serverURL: URL? {
        get { fields.serverURL }
        set { fields.serverURL = newValue }
    }

    /// Stored without effect.
    public var serviceZone: ToastServiceZone {
        get { fields.serviceZone }
        set { fields.serviceZone = newValue }
    }

    /// ISO 3166 code; by default the phone's region.
    public var countryCode: String {
        get { fields.countryCode ?? PhoneFacts.country }
        set { fields.countryCode = newValue }
    }

    /// BCP 47 tag that selects a message's language; by default the phone's.
    public var languageCode: String {
        get { fields.languageCode ?? PhoneFacts.language }
        set { fields.languageCode = newValue }
    }

    /// IANA time zone, for messages at a local time; by default the phone's.
    public var timezone: String {
        get { fields.timezone ?? PhoneFacts.timeZone }
        set { fields.timezone = newValue }
    }

    /// Whether the app's tokens belong to Apple's sandbox; true in development builds.
    public var sandbox: Bool {
        get { fields.sandbox ?? false }
        set { fields.sandbox = newValue }
    }

    /// Whether to register although the person does not allow notifications.
    public var alwaysAllowTokenRegistration: Bool {
        get { fields.alwaysAllowTokenRegistration }
        set { fields.alwaysAllowTokenRegistration = newValue }
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

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { ToastPushConfiguration(fields) }
}
#endif
