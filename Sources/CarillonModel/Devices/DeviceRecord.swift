/// The server's record of a Device: the response to registering and to `GET /v1/devices/{device}`.
///
/// It does not contain the device token, only its state.
public struct DeviceRecord: Hashable, Sendable, Codable {
    /// The state of a Device's token.
    public enum TokenState: String, Hashable, Sendable, Codable, CaseIterable {
        /// There is none.
        case none
        /// It is valid.
        case active
        /// Apple refused it for this topic or environment; unused until the Device registers it again.
        case quarantined
        /// Apple reported that it is no longer active.
        case dropped
        /// The Device has not registered for longer than its App keeps tokens; valid again when it registers.
        case expired
    }

    /// The Device's id.
    public var device: DeviceID
    /// Its App.
    public var app: AppID
    /// The state of its token.
    public var tokenState: TokenState
    /// The environment of the token.
    public var pushType: PushType
    /// The tenant of the app that the token is for.
    public var tenant: String?
    /// The person the Device belongs to, under the App's own id.
    public var user: UserID?
    /// The person's consent.
    public var consent: Consent
    /// False when the App's rules for ads do not cover this Device, so that ads require no consent; true when missing.
    public var adRuleApplies: Bool?
    /// Since when the person consents, by the server's clock.
    public var consentTimes: ConsentTimes
    /// The system's permission for notifications.
    public var permission: NotificationPermission?
    /// BCP 47 language tag of the phone.
    public var language: String?
    /// ISO 3166 region code.
    public var country: String?
    /// IANA time zone.
    public var timeZone: String?
    /// The app's version.
    public var appVersion: String?
    /// The system's name and version.
    public var osVersion: String?
    /// The hardware model.
    public var model: String?
    /// The SDK's version.
    public var sdkVersion: String?
    /// The groups of the Device.
    public var categories: DeviceCategories
    /// The phone's last location.
    public var location: DeviceLocation?
    /// The first registration, by the server's clock.
    public var createdAt: Timestamp
    /// The last registration, by the server's clock.
    public var registeredAt: Timestamp
    /// What the server did not store of this registration: a time zone that it does not know, or a malformed language.
    ///
    /// Only in the response to a registration; missing when everything was stored.
    public var warnings: [FieldError]?

    /// Creates a record from a registration.
    ///
    /// - Parameters:
    ///   - device: The Device's id.
    ///   - app: Its App.
    ///   - registration: Its last registration.
    ///   - consentTimes: Since when the person consents.
    ///   - tokenState: The state of its token.
    ///   - createdAt: The first registration.
    ///   - registeredAt: The last registration.
    public init(
        device: DeviceID,
        app: AppID,
        registration: Registration,
        consentTimes: ConsentTimes = ConsentTimes(),
        tokenState: TokenState,
        createdAt: Timestamp,
        registeredAt: Timestamp
    ) {
        self.device = device
        self.app = app
        self.tokenState = tokenState
        pushType = registration.pushType
        user = registration.user
        consent = registration.consent
        self.consentTimes = consentTimes
        permission = registration.permission
        categories = registration.categories ?? .standard
        location = registration.location
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        for field in DeviceField.all { self[keyPath: field.record] = registration[keyPath: field.registration] }
    }
}
