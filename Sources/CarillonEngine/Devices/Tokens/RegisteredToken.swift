package import CarillonModel

/// A token with what its Device last registered: a record of services that keep tokens and not Devices.
package struct RegisteredToken: Hashable, Sendable {
    package var device: DeviceID
    package var token: DeviceToken
    package var pushType: PushType
    /// The Device's last registration; its token is the one for notifications, whichever this is.
    package var registration: Registration
    package var consentTimes: ConsentTimes
    /// Whether the Device has a secret: its app registered it itself.
    package var hasSecret: Bool
    /// The Device's id at another service, if that is no UUID.
    package var vendorDeviceID: String?
    package var createdAt: Timestamp
    /// The last registration of the token.
    package var registeredAt: Timestamp

    package init(
        device: DeviceID,
        token: DeviceToken,
        pushType: PushType,
        registration: Registration,
        consentTimes: ConsentTimes,
        hasSecret: Bool,
        vendorDeviceID: String?,
        createdAt: Timestamp,
        registeredAt: Timestamp
    ) {
        self.device = device
        self.token = token
        self.pushType = pushType
        self.registration = registration
        self.consentTimes = consentTimes
        self.hasSecret = hasSecret
        self.vendorDeviceID = vendorDeviceID
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}

/// A position in the list of an App's tokens.
package struct TokenPosition: Hashable, Sendable {
    package var user: UserID
    package var token: DeviceToken
    package var tenant: String?

    package init(user: UserID, token: DeviceToken, tenant: String?) {
        self.user = user
        self.token = token
        self.tenant = tenant
    }
}

/// A request to remove a token.
package struct TokenRemoval: Hashable, Sendable {
    package var app: AppID
    package var token: DeviceToken
    package var tenant: String?
    /// Of this push type; of all when `nil`.
    package var pushType: PushType?
    /// Whether the caller may remove the token of a Device that has a secret.
    package var isTrusted: Bool

    package init(app: AppID, token: DeviceToken, tenant: String?, pushType: PushType?, isTrusted: Bool) {
        self.app = app
        self.token = token
        self.tenant = tenant
        self.pushType = pushType
        self.isTrusted = isTrusted
    }
}
