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
    }

    public var device: DeviceID
    public var app: AppID
    public var tokenState: TokenState
    public var pushType: PushType
    public var user: UserID?
    public var consent: Consent
    public var permission: NotificationPermission?
    public var language: String?
    public var country: String?
    public var timeZone: String?
    public var appVersion: String?
    public var osVersion: String?
    public var model: String?
    public var sdkVersion: String?
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
    ///   - tokenState: What became of its token.
    ///   - createdAt: When it registered first.
    ///   - registeredAt: When it registered last.
    public init(
        device: DeviceID,
        app: AppID,
        registration: Registration,
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
        permission = registration.permission
        language = registration.language
        country = registration.country
        timeZone = registration.timeZone
        appVersion = registration.appVersion
        osVersion = registration.osVersion
        model = registration.model
        sdkVersion = registration.sdkVersion
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}
