package import CarillonModel

/// A Device that asks for something about itself.
package struct DeviceCaller: Hashable, Sendable {
    package var app: AppID
    package var device: DeviceID
    /// What proves that the Device asks; `nil` when somebody asks who may.
    package var secretHash: SecretHash?

    /// Names a caller.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which.
    ///   - secret: What proves that the Device asks; `nil` when an API key asks.
    package init(app: AppID, device: DeviceID, secret: String?) {
        self.app = app
        self.device = device
        secretHash = secret.map { SecretHash(of: $0) }
    }
}

/// Who a caller turned out to be.
package struct KnownDevice: Hashable, Sendable {
    package var number: DeviceNumber
    /// Whose it is.
    package var user: UserID?

    package init(number: DeviceNumber, user: UserID?) {
        self.number = number
        self.user = user
    }
}
