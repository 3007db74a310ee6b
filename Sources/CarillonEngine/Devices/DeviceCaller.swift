package import CarillonModel

/// A Device that makes a request about itself.
package struct DeviceCaller: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceID
    /// The hash of the Device's secret; `nil` when the caller is authorized otherwise.
    package var secretHash: SecretHash?

    /// Creates a caller.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secret: The Device's secret; `nil` for a caller with an API key.
    package init(app: AppID, device: DeviceID, secret: String?) {
        self.app = app
        self.device = device
        secretHash = secret.map { SecretHash(of: $0) }
    }
}

/// A caller that was authenticated.
package struct KnownDevice: Hashable, Sendable {
    package var number: DeviceNumber
    /// The Device's User.
    package var user: UserID?

    package init(number: DeviceNumber, user: UserID?) {
        self.number = number
        self.user = user
    }
}
