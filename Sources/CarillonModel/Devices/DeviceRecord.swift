/// What the server knows of a Device: the answer to registering and to `GET /v1/devices/{device}`.
///
/// It never shows the device token, only whether there is one and what became of it.
public struct DeviceRecord: Hashable, Sendable, Codable {
    /// What became of the Device's token.
    public enum TokenState: String, Hashable, Sendable, Codable, CaseIterable {
        /// There is none.
        case none
        /// It takes notifications.
        case active
        /// Apple refused it as belonging elsewhere; it waits until the Device registers it again.
        case quarantined
        /// Apple said that it is no longer active.
        case dropped
        /// The Device has not registered for longer than its App keeps tokens; it wakes when it registers again.
        case expired
    }

    /// The Device's public id.
    public var device: DeviceID
    /// Its App.
    public var app: AppID
    /// What became of its token.
    public var tokenState: TokenState
    /// Which environment the token belongs to.
    public var pushType: PushType
    /// Which of several tenants of the app the token is for.
    public var tenant: String?
    /// The person the Device belongs to, under the App's own id.
    public var user: UserID?
    /// What the person agreed to.
    public var consent: Consent
    /// False when the App's rules for ads do not cover this Device, so that ads need no consent; missing: true.
    public var adRuleApplies: Bool?
    /// Since when the person agrees to it, by the server's clock.
    public var consentTimes: ConsentTimes
    /// The system's answer about notifications.
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
    /// The groups the Device is in.
    public var categories: DeviceCategories
    /// Where the phone was last.
    public var location: DeviceLocation?
    /// When the Device registered first, by the server's clock.
    public var createdAt: Timestamp
    /// When it registered last, by the server's clock.
    public var registeredAt: Timestamp

    /// Makes a record from a registration.
    ///
    /// - Parameters:
    ///   - device: The Device's public id.
    ///   - app: Its App.
    ///   - registration: What it told last.
    ///   - consentTimes: Since when the person agrees to what they agreed to.
    ///   - tokenState: What became of its token.
    ///   - createdAt: When it registered first.
    ///   - registeredAt: When it registered last.
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
        tenant = registration.tenant
        user = registration.user
        consent = registration.consent
        self.consentTimes = consentTimes
        permission = registration.permission
        language = registration.language
        country = registration.country
        timeZone = registration.timeZone
        appVersion = registration.appVersion
        osVersion = registration.osVersion
        model = registration.model
        sdkVersion = registration.sdkVersion
        categories = registration.categories ?? .standard
        location = registration.location
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}
