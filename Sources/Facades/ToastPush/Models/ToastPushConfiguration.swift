public import Foundation

/// Which of the vendor's installations an app used; kept, and without effect here.
#if canImport(ObjectiveC)
@objc
#endif
public enum ToastServiceZone: Int, Codable, Sendable {
    /// The one for everybody.
    case real = 0
    /// The vendor's own, first stage.
    case alpha = 1
    /// The vendor's own, second stage.
    case beta = 2
}

/// What TOAST Push is started with.
///
/// Carillon adds ``serverURL``: the vendor's SDK knew only its maker's server.
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

    /// Makes a configuration.
    ///
    /// - Parameter appKey: The App key that Carillon's server gave.
    public init(appKey: String) { fields = Fields(appKey: appKey) }

    init(_ fields: Fields) { self.fields = fields }

    /// Makes a configuration.
    ///
    /// - Parameter appKey: The App key that Carillon's server gave.
    /// - Returns: The configuration.
    #if canImport(ObjectiveC)
    @objc(configurationWithAppKey:)
    #endif
    public static func configuration(appKey: String) -> ToastPushConfiguration {
        ToastPushConfiguration(appKey: appKey)
    }

    /// The App key.
    public var appKey: String { fields.appKey }

    /// Where Carillon's server is; missing: `CarillonServerURL` of the Info.plist.
    public var serverURL: URL? {
        get { fields.serverURL }
        set { fields.serverURL = newValue }
    }

    /// Kept, and without effect.
    public var serviceZone: ToastServiceZone {
        get { fields.serviceZone }
        set { fields.serviceZone = newValue }
    }

    /// ISO 3166 code; the phone's region unless set.
    public var countryCode: String {
        get { fields.countryCode ?? PhoneFacts.country }
        set { fields.countryCode = newValue }
    }

    /// BCP 47 tag that chooses a message's language; the phone's unless set.
    public var languageCode: String {
        get { fields.languageCode ?? PhoneFacts.language }
        set { fields.languageCode = newValue }
    }

    /// IANA time zone, by which messages at a local time are sent; the phone's unless set.
    public var timezone: String {
        get { fields.timezone ?? PhoneFacts.timeZone }
        set { fields.timezone = newValue }
    }

    /// Whether the app's tokens belong to Apple's sandbox; true in builds for development.
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
